//! How the selector selects an operation.

use crate::contract::check::Group;
use crate::contract::check::Source::Decision;
use crate::contract::description::Contract;
use crate::contract::evidence::{Evidence, UNKNOWN_METHOD};
use crate::outcome::{Outcome, ensure, skip};

/// Returns the checks.
pub(super) fn group(contract: &'static Contract) -> Group {
    let mut group = Group::new("method");
    let decision = Decision("D-method");
    let title = "a method name in another case does not select an operation";
    group.add("exact", title, decision, exact);
    group.add("unknown", "an unknown method does not succeed", decision, |seen| {
        let status = seen.unknown_method().response()?.status;
        ensure!(status >= 300, "the request is answered with {status}");
        Ok(())
    });
    group.add("missing_400", "a missing method is refused with 400", decision, |seen| {
        seen.no_method().has_status(400)
    });
    group.add("unknown_400", "an unknown method is refused with 400", decision, |seen| {
        seen.unknown_method().has_status(400)
    });
    let title = "the refusal of an unknown method lists the known ones";
    group.add("known_ones", title, decision, known_ones);
    let probe = contract.probe().map_or("", |probe| probe.select);
    let selectors = contract.dispatch.selectors();
    if let (Some((before, after)), [_]) = (probe.split_once('/'), selectors) {
        let title = "`%2F` in a method means `/`";
        group.add("encoded_slash", title, Decision("D-encoding"), move |seen| {
            seen.get(&seen.probe_query_with(&format!("{before}%2F{after}"))).has_status(200)
        });
    }
    let selects = contract.operations.iter().map(|operation| operation.select);
    let other = selects.into_iter().find(|select| *select != probe).unwrap_or(UNKNOWN_METHOD);
    if let Some((selector, other)) = contract.dispatch.values(other).next() {
        let title = "two different methods are refused with 400";
        group.add("twice_differently", title, Decision("D-repeat"), move |seen| {
            seen.get(&format!("{}&{selector}={other}", seen.probe_query())).has_status(400)
        });
    }
    group
}

fn exact(seen: &Evidence<'_>) -> Outcome {
    let select = seen.contract.probe().map_or("", |probe| probe.select);
    let upper = select.to_ascii_uppercase();
    if upper == select {
        return skip("the name of the method has no lower-case letter");
    }
    let status = seen.get(&seen.probe_query_with(&upper)).response()?.status;
    ensure!(status != 200, "`{upper}` is answered with 200");
    Ok(())
}

fn known_ones(seen: &Evidence<'_>) -> Outcome {
    let exchange = seen.unknown_method();
    let text = String::from_utf8_lossy(&exchange.response()?.body).replace("\\/", "/");
    for operation in seen.contract.operations {
        let name = operation.select;
        ensure!(text.contains(name), "the response does not name `{name}`");
    }
    Ok(())
}
