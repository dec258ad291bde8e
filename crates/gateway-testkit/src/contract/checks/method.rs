//! How `method` selects an operation.

use crate::contract::check::{Outcome, ensure, group};
use crate::contract::evidence::Evidence;

group! { "method":
    exact: "an operation is only selected by its exact name", Decision("D-method");
    unknown: "an unknown method is no success", Decision("D-method");
    missing_400: "a missing method is refused with 400", Decision("D-method");
    unknown_400: "an unknown method is refused with 400", Decision("D-method");
    known_ones: "the refusal names the operations that there are", Decision("D-method");
    encoded_slash: "%2F in a method is its slash", Decision("D-encoding");
    twice_differently: "two different methods are refused with 400", Decision("D-repeat");
}

fn exact(evidence: &Evidence) -> Outcome {
    let status = evidence.method_upper.answer()?.status;
    ensure!(status != 200, "CREDITS/GET is answered with 200");
    Ok(())
}

fn unknown(evidence: &Evidence) -> Outcome {
    let status = evidence.method_unknown.answer()?.status;
    ensure!(status >= 300, "it is answered with {status}");
    Ok(())
}

fn missing_400(evidence: &Evidence) -> Outcome {
    evidence.method_missing.with_status(400).map(drop)
}

fn unknown_400(evidence: &Evidence) -> Outcome {
    evidence.method_unknown.with_status(400).map(drop)
}

fn known_ones(evidence: &Evidence) -> Outcome {
    let body = &evidence.method_unknown.answer()?.body;
    let text = String::from_utf8_lossy(body).replace("\\/", "/");
    for name in ["candidates/list", "vacancies/list", "credits/get"] {
        ensure!(text.contains(name), "it does not name {name}");
    }
    Ok(())
}

fn encoded_slash(evidence: &Evidence) -> Outcome {
    evidence.method_encoded.with_status(200).map(drop)
}

fn twice_differently(evidence: &Evidence) -> Outcome {
    evidence.method_twice_differently.with_status(400).map(drop)
}
