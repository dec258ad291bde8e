//! Compares the results of the kit with the documented ones.

use std::iter::once;

use methodical_testkit::conformance::{Factory, Finding, Verdict, run};

/// A client, and the checks that its adapter is known to fail.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// The name of its package.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Creates the transport.
    pub factory: Factory,
    /// The checks that fail, each with a reason.
    pub failures: &'static [(&'static str, &'static str)],
}

/// Runs all checks. Compares the failures with the list, the results with `document`, and the version with `lock`,
/// the `Cargo.lock` of the tests.
///
/// # Errors
/// Returns a text that names each difference.
pub fn compare(client: &Client, document: &str, lock: &str) -> Result<(), String> {
    let Client { package, version, failures, .. } = *client;
    let findings = run(client.factory, &[]);
    let failed = |finding: &&Finding| matches!(finding.verdict, Verdict::Fail(_));
    let is_listed = |check: &str| failures.iter().any(|(name, _)| *name == check);
    let unlisted = findings.iter().filter(failed).filter(|finding| !is_listed(finding.check));
    let mut differences: Vec<String> = unlisted.map(ToString::to_string).collect();
    for (name, _) in failures {
        if !findings.iter().filter(failed).any(|finding| finding.check == *name) {
            differences.push(format!("`{name}` is listed as failed, but did not fail"));
        }
    }
    if !lock.contains(&format!("name = \"{package}\"\nversion = \"{version}\"\n")) {
        differences.push(format!("Cargo.lock has another version of `{package}` than {version}"));
    }
    let passed = findings.iter().filter(|finding| matches!(finding.verdict, Verdict::Pass)).count();
    let skipped = findings.len() - passed - findings.iter().filter(failed).count();
    let row = format!("| `{package}` | {version} | {passed} | {} | {skipped} |", failures.len());
    let reasons =
        failures.iter().map(|(name, reason)| format!("- `{name}`, `{package}`: {reason}."));
    for line in once(row).chain(reasons) {
        if !document.lines().any(|documented| documented == line) {
            differences.push(format!("docs/transports.md lacks this line:\n{line}"));
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
}
