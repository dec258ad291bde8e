//! The contract of the service, for the command `check`.

use gateway_testkit::contract::{Finding, Profile, Target, run};
use methodical_cli::{CheckReport, CheckResult, CheckTarget, Contract, Failure};

/// The contract of the service.
pub(crate) const CONTRACT: Contract = Contract { run: check, reference: "gateway-server" };

fn check(target: &CheckTarget<'_>) -> Result<CheckReport, Failure> {
    let service = Target::new(target.base_url, target.token)
        .map_err(|error| Failure::usage("cannot check the service").because(error.to_string()))?;
    let service = match target.time_limit {
        Some(limit) => service.time_limit(limit),
        None => service,
    };
    let profile = if target.strict { Profile::Reference } else { Profile::Any };
    let report = run(&service, target.transport, profile);
    Ok(CheckReport {
        results: report.findings().iter().map(result).collect(),
        failed: report.count("fail"),
        summary: report.summary(),
    })
}

fn result(finding: &Finding) -> CheckResult {
    let Finding { check, verdict, .. } = finding;
    CheckResult {
        check: check.name.to_string(),
        verdict: verdict.word().to_owned(),
        title: check.title.to_string(),
        source: check.source.to_string(),
        seen: verdict.detail().to_owned(),
    }
}
