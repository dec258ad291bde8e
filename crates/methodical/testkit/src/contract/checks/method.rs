//! How the selector selects an operation.

use crate::contract::checks::Group;
use crate::contract::checks::Source::Decision;
use crate::contract::description::{Contract, Operation};
use crate::contract::evidence::{Evidence, UNKNOWN_METHOD};
use crate::outcome::{Outcome, ensure, skip};

pub(super) fn group(contract: &'static Contract) -> Group {
    let mut group = Group::new("method");
    let (probe, refused) = of_probe(contract, 400);
    let decision = Decision("D-method");
    let title = "a method name in another case does not select an operation";
    group.add("exact", title, decision, exact);
    group.add("unknown", "an unknown method does not succeed", decision, |seen| {
        let exchange = seen.unknown_method();
        match exchange.response()?.status {
            300..400 => Ok(()),
            _ => exchange.is_refused(seen.contract.probe()),
        }
    });
    group.add("missing_400", format!("a missing method is {refused}"), decision, move |seen| {
        seen.no_method().is_refused_with(400, probe)
    });
    group.add("unknown_400", format!("an unknown method is {refused}"), decision, move |seen| {
        seen.unknown_method().is_refused_with(400, probe)
    });
    let title = "the refusal of an unknown method lists the known ones";
    group.add("known_ones", title, decision, known_ones);
    let select = probe.map_or("", |probe| probe.select);
    let selectors = contract.dispatch.selectors();
    if let (Some((before, after)), [_]) = (select.split_once('/'), selectors) {
        let title = "`%2F` in a method means `/`";
        group.add("encoded_slash", title, Decision("D-encoding"), move |seen| {
            let query = seen.probe_query_with(&format!("{before}%2F{after}"));
            seen.get(&query).is_accepted(probe)
        });
    }
    let selects = contract.operations.iter().map(|operation| operation.select);
    let other = selects.into_iter().find(|one| *one != select).unwrap_or(UNKNOWN_METHOD);
    if let Some((selector, other)) = contract.dispatch.values(other).next() {
        let title = format!("two different methods are {refused}");
        group.add("twice_differently", title, Decision("D-repeat"), move |seen| {
            let query = format!("{}&{selector}={other}", seen.probe_query());
            seen.get(&query).is_refused_with(400, probe)
        });
    }
    group
}

/// Returns the operation that the general checks call, and how the service refuses a request, as a phrase for a title.
pub(super) fn of_probe(
    contract: &'static Contract,
    status: u16,
) -> (Option<&'static Operation>, String) {
    let probe = contract.probe();
    let refused =
        probe.map_or_else(|| format!("refused with {status}"), |one| one.refused_with(status));
    (probe, refused)
}

fn exact(seen: &Evidence<'_>) -> Outcome {
    let select = seen.contract.probe().map_or("", |probe| probe.select);
    let upper = select.to_ascii_uppercase();
    if upper == select {
        return skip("the name of the method has no lower-case letter");
    }
    let exchange = seen.get(&seen.probe_query_with(&upper));
    let is_answered = exchange.response()?.status == 200;
    let is_answered = is_answered && exchange.is_refused(seen.contract.probe()).is_err();
    ensure!(!is_answered, "`{upper}` is answered with 200");
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
