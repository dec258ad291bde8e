//! How `method` selects an operation.

use crate::contract::check::group;
use crate::contract::evidence::Evidence;
use crate::outcome::{Outcome, ensure};

group! { "method":
    exact: "a method name in another case does not select an operation", Decision("D-method") => exact;
    unknown: "an unknown method does not succeed", Decision("D-method") => unknown;
    missing_400: "a missing method is refused with 400", Decision("D-method")
        => |seen| seen.method_missing.has_status(400);
    unknown_400: "an unknown method is refused with 400", Decision("D-method")
        => |seen| seen.method_unknown.has_status(400);
    known_ones: "the refusal of an unknown method lists the known ones", Decision("D-method")
        => known_ones;
    encoded_slash: "`%2F` in a method means `/`", Decision("D-encoding")
        => |seen| seen.method_encoded.has_status(200);
    twice_differently: "two different methods are refused with 400", Decision("D-repeat")
        => |seen| seen.method_twice_differently.has_status(400);
}

fn exact(seen: &Evidence) -> Outcome {
    let status = seen.method_upper.response()?.status;
    ensure!(status != 200, "`CREDITS/GET` is answered with 200");
    Ok(())
}

fn unknown(seen: &Evidence) -> Outcome {
    let status = seen.method_unknown.response()?.status;
    ensure!(status >= 300, "the request is answered with {status}");
    Ok(())
}

fn known_ones(seen: &Evidence) -> Outcome {
    let body = &seen.method_unknown.response()?.body;
    let text = String::from_utf8_lossy(body).replace("\\/", "/");
    for name in ["candidates/list", "vacancies/list", "credits/get"] {
        ensure!(text.contains(name), "the response does not name `{name}`");
    }
    Ok(())
}
