//! Running the checks, and what came of them.

use std::fmt;

use gateway_transport::BlockingTransport;

use crate::contract::check::{Check, Source, Stop, Verdict};
use crate::contract::checks::ALL;
use crate::contract::evidence::Evidence;
use crate::contract::exchange::Target;

/// How strictly a service is judged.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// By the service text and the RFCs. What the text leaves open is reported, not judged.
    #[default]
    Any,
    /// By the decisions of this project, too: how `gateway-server` fills what the text leaves open.
    Reference,
}

/// A check and how it ended.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Finding {
    /// The check.
    pub check: Check,
    /// How it ended.
    pub verdict: Verdict,
}

/// What came of all checks. `Display` is for people: the failures, then the counts.
#[derive(Clone, Debug)]
pub struct Report {
    findings: Vec<Finding>,
    requests: usize,
}

/// Asks the service through `transport`, and judges the answers.
pub fn run(target: &Target, transport: &dyn BlockingTransport, profile: Profile) -> Report {
    let evidence = Evidence::gather(target, transport);
    let finding = |check: &Check| {
        let verdict = judged((check.judge)(&evidence), check.source, profile);
        Finding { check: *check, verdict }
    };
    Report { findings: checks().map(finding).collect(), requests: evidence.requests }
}

/// Returns all checks, by group.
///
/// ```
/// assert!(gateway_testkit::contract::checks().count() >= 60);
/// ```
pub fn checks() -> impl Iterator<Item = &'static Check> {
    ALL.iter().copied().flatten()
}

/// What the contract leaves open is not judged, unless it is our own service.
fn judged(outcome: Result<(), Stop>, source: Source, profile: Profile) -> Verdict {
    let is_open = matches!(source, Source::Decision(_)) && profile != Profile::Reference;
    match outcome {
        Err(Stop::NotShown(text)) => Verdict::NotShown(text),
        Ok(()) if is_open => Verdict::NotShown("left open by the service text; it is so".into()),
        Err(Stop::Fail(text)) if is_open => {
            Verdict::NotShown(format!("left open by the service text; {text}"))
        }
        Ok(()) => Verdict::Pass,
        Err(Stop::Fail(text)) => Verdict::Fail(text),
    }
}

impl Report {
    /// Returns what came of each check, by group.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns how many requests were sent.
    pub fn requests(&self) -> usize {
        self.requests
    }

    /// Returns how many checks ended with this word: `pass`, `fail` or `not-shown`.
    pub fn count(&self, word: &str) -> usize {
        self.findings.iter().filter(|finding| finding.verdict.word() == word).count()
    }

    /// Says whether no check failed.
    pub fn is_kept(&self) -> bool {
        self.count("fail") == 0
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { check, verdict } in &self.findings {
            if let Verdict::Fail(detail) = verdict {
                writeln!(f, "FAIL {}: {} ({}): {detail}", check.name, check.title, check.source)?;
            }
        }
        let [pass, fail, open] = ["pass", "fail", "not-shown"].map(|word| self.count(word));
        write!(f, "{pass} passed, {fail} failed, {open} not shown; {} requests", self.requests)
    }
}
