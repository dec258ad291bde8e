//! The steps of the program.

use std::error::Error;

use gateway_transport::TransportError;
use methodical_testkit::conformance::{self, CHECKS, Finding, Setup, Subject, Verdict};

use crate::exceptions::{EXCEPTIONS, Exception};
use crate::node::Node;
use crate::peer;
use crate::remote::Remote;

pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(runner), Some(test)) = (arguments.next(), arguments.next()) else {
        return Err("usage: wasm-tests RUNNER TEST".into());
    };
    let peer = peer::start()?;
    Node::start(&runner, &test, "client::", ("GATEWAY_TEST_PEER", &peer.uri("")))?.wait()?;

    let address = Remote::serve()?;
    let node = Node::start(&runner, &test, "kit::", ("GATEWAY_TEST_KIT", &address))?;
    let findings: Vec<_> = conformance::run(subject, &[]).into_iter().map(confirmed).collect();
    Remote::stop();
    node.wait()?;
    judge(&findings)
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a factory")]
fn subject(setup: &Setup) -> Result<Subject, TransportError> {
    let reason = "`fetch` trusts the certificates of the browser, and none can be added";
    Ok(Subject::asynchronous(Remote::new(setup.idle_timeout)).without_tls(reason))
}

/// Runs a check that failed unexpectedly again, alone: each exchange takes several messages to Node, so that many
/// checks in parallel can exceed their time limits.
fn confirmed(finding: Finding) -> Finding {
    let is_new = matches!(finding.verdict, Verdict::Fail(_)) && exception(&finding).is_none();
    match CHECKS.iter().find(|check| is_new && check.name == finding.check) {
        Some(check) => conformance::run_one(subject, check, &[]),
        None => finding,
    }
}

fn exception(finding: &Finding) -> Option<&'static Exception> {
    EXCEPTIONS.iter().find(|exception| exception.check == finding.check)
}

/// Compares the findings with the exceptions.
fn judge(findings: &[Finding]) -> Result<(), Box<dyn Error>> {
    let (mut passed, mut failed, mut skipped, mut wrong) = (0, 0, 0, 0);
    for finding in findings {
        match (&finding.verdict, exception(finding)) {
            (Verdict::Skip(_), _) => skipped += 1,
            (Verdict::Fail(_), Some(_)) => failed += 1,
            (Verdict::Fail(_), None) => {
                wrong += 1;
                println!("{finding}");
            }
            (_, Some(exception)) if exception.is_constant => {
                wrong += 1;
                println!(
                    "passes, so it is not an exception: {} ({})",
                    finding.check, exception.reason
                );
            }
            _ => passed += 1,
        }
    }
    println!("   conformance in Node: {passed} passed, {failed} exceptions, {skipped} skipped");
    if wrong > 0 {
        return Err(format!("{wrong} checks differ from the list of exceptions").into());
    }
    Ok(())
}
