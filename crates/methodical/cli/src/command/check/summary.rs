//! The results of all checks for a person: the failures, then a line for each group.

use std::io::{self, Write};

use crate::contract::CheckResult;
use crate::escape::printable;
use crate::screen::{Tone, paint};

/// Writes the failures, then the counts of each group.
pub(super) fn write(out: &mut impl Write, results: &[CheckResult], color: bool) -> io::Result<()> {
    let failures = || results.iter().filter(|result| result.verdict == FAIL);
    for CheckResult { check, title, source, seen, .. } in failures() {
        let label = paint(color, Tone::Error, "FAIL");
        writeln!(out, "{label} {}", printable(&format!("{check}: {title} ({source})")))?;
        writeln!(out, "     {}", printable(seen))?;
    }
    if failures().next().is_some() {
        writeln!(out)?;
    }
    let mut groups: Vec<&str> = results.iter().map(group).collect();
    groups.dedup();
    let width = groups.iter().map(|group| group.len()).max().unwrap_or(0);
    for name in groups {
        let count = |verdict: &str| {
            results.iter().filter(|one| group(one) == name && one.verdict == verdict).count()
        };
        let counts = VERDICTS.iter().map(|(verdict, word)| (count(verdict), word));
        let counts: Vec<String> = counts
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        writeln!(out, "{name:width$}  {}", counts.join(", "))?;
    }
    Ok(())
}

/// Returns the group of a check: `list` of `list.envelope`.
fn group(result: &CheckResult) -> &str {
    result.check.split('.').next().unwrap_or_default()
}

const FAIL: &str = "fail";

/// The verdicts, and the words for them after a number.
const VERDICTS: [(&str, &str); 4] =
    [(FAIL, "failed"), ("pass", "passed"), ("open", "open"), ("skip", "skipped")];

#[cfg(test)]
mod tests {
    use super::write;
    use crate::contract::CheckResult;

    #[test]
    fn failures_precede_the_groups() {
        let result = |check: &str, verdict: &str, seen: &str| CheckResult {
            check: check.to_owned(),
            verdict: verdict.to_owned(),
            title: "a list is an array".to_owned(),
            source: "contract 2".to_owned(),
            seen: seen.to_owned(),
        };
        let results = [
            result("list.array", "pass", ""),
            result("list.order", "open", "sorted"),
            result("list.length", "fail", "an\u{1b}[2J object"),
            result("representation.gzip", "skip", "no gzip"),
        ];
        let mut out = Vec::new();
        write(&mut out, &results, false).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
        FAIL list.length: a list is an array (contract 2)
             an\u{1b}[2J object

        list            1 failed, 1 passed, 1 open
        representation  1 skipped
        ");
        let mut out = Vec::new();
        write(&mut out, &results[..1], true).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "list  1 passed\n");
    }
}
