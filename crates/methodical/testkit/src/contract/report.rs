//! Runs the checks, and reports their results.

use std::fmt;

use gateway_transport::BlockingTransport;

use crate::contract::checks::{ContractCheck, Source, all};
use crate::contract::description::Contract;
use crate::contract::evidence::Evidence;
use crate::contract::target::Target;
use crate::outcome::{Outcome, Verdict};

/// The rules that a service can fail.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The contract and the RFCs. For a point that the contract leaves open, the report says what was observed.
    #[default]
    Any,
    /// Also the spec's decisions about points that the contract leaves open. Use it for a server that follows them.
    Reference,
}

/// A check and its verdict on the service.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Finding {
    /// The check that was run.
    pub check: ContractCheck,
    /// Whether the service passed the check, and if not, why.
    pub verdict: Verdict,
}

/// The findings of all checks. `Display` prints each failure with the broken rule, then the counts.
#[derive(Clone, Debug)]
pub struct Report {
    findings: Vec<Finding>,
    requests: usize,
}

/// Runs all checks of a service: sends the requests through `transport` and evaluates the responses.
pub fn run(
    contract: &'static Contract,
    target: &Target,
    transport: &dyn BlockingTransport,
    profile: Profile,
) -> Report {
    let evidence = Evidence::new(contract, target, transport);
    let findings = all(contract).into_iter().map(|one| {
        let verdict = judged((one.judge)(&evidence), one.check.source, profile);
        Finding { check: one.check, verdict }
    });
    Report { findings: findings.collect(), requests: evidence.requests() }
}

/// Returns all checks of a service, by group.
pub fn checks(contract: &'static Contract) -> Vec<ContractCheck> {
    all(contract).into_iter().map(|one| one.check).collect()
}

/// Returns the verdict. A decision can fail only under [`Profile::Reference`].
fn judged(outcome: Outcome, source: Source, profile: Profile) -> Verdict {
    let is_open = matches!(source, Source::Decision(_)) && profile != Profile::Reference;
    match Verdict::from(outcome) {
        Verdict::Pass if is_open => {
            Verdict::Open("left open by the contract; the service does this".into())
        }
        Verdict::Fail(text) if is_open => {
            Verdict::Open(format!("left open by the contract; observed: {text}"))
        }
        verdict => verdict,
    }
}

impl Report {
    /// Returns the findings, one per check, by group.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the number of distinct requests. Checks share the response to identical requests.
    pub fn requests(&self) -> usize {
        self.requests
    }

    /// Returns the number of checks with this verdict: `pass`, `fail`, `open` or `skip`.
    pub fn count(&self, word: &str) -> usize {
        self.findings.iter().filter(|finding| finding.verdict.word() == word).count()
    }

    /// Returns whether the service meets its contract: no check failed.
    pub fn is_kept(&self) -> bool {
        self.count("fail") == 0
    }

    /// Returns the counts as one line for people. Open points and skipped checks are omitted if their count is 0.
    pub fn summary(&self) -> String {
        let [pass, fail, open, skip] =
            ["pass", "fail", "open", "skip"].map(|word| self.count(word));
        let checks = if pass == 1 { "check" } else { "checks" };
        let mut counts = vec![format!("{pass} {checks} passed"), format!("{fail} failed")];
        if open > 0 {
            counts.push(format!("{open} on open points (not judged)"));
        }
        if skip > 0 {
            counts.push(format!("{skip} skipped"));
        }
        format!("{}; {} requests", counts.join(", "), self.requests)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { check: ContractCheck { name, title, source }, verdict } in &self.findings {
            if let Verdict::Fail(detail) = verdict {
                writeln!(f, "FAIL {name}: {detail} (rule: {title}; {source})")?;
            }
        }
        f.write_str(&self.summary())
    }
}

#[cfg(test)]
mod tests {
    use super::{Finding, Report};
    use crate::contract::checks::{ContractCheck, Source};
    use crate::outcome::Verdict;

    #[test]
    fn a_report_has_its_failures_and_its_counts() {
        let finding = |name: &'static str, verdict| {
            let (title, source) = ("the title".into(), Source::Contract(""));
            Finding { check: ContractCheck { name: name.into(), title, source }, verdict }
        };
        let findings = vec![
            finding("photos.response", Verdict::Pass),
            finding("photos.order", Verdict::Open("not sorted".to_owned())),
            finding("photos.title", Verdict::Fail("a\\b\n# c".to_owned())),
            finding("representation.gzip", Verdict::Skip("no gzip".into())),
        ];
        assert_eq!(
            Report { findings, requests: 7 }.to_string(),
            "FAIL photos.title: a\\b\n# c (rule: the title; contract)\n1 check passed, 1 failed, 1 on open points (not judged), 1 skipped; 7 requests"
        );
    }
}
