//! How a query is parsed: repeated and unknown parameters, and percent-encoding.

use crate::contract::checks::Group;
use crate::contract::checks::Source::Decision;
use crate::contract::checks::method::of_probe;
use crate::contract::description::{Contract, Values};
use crate::contract::evidence::{Evidence, Parameter};
use crate::contract::exchange::Exchange;
use crate::encoded::encoded;
use crate::outcome::{Outcome, ensure};

/// Returns the checks. Each uses one of the service's parameters, if a suitable one exists.
pub(super) fn group(contract: &'static Contract) -> Group {
    let mut group = Group::new("filters");
    let (probe, _) = of_probe(contract, 400);
    if let Some(first) = Parameter::first(contract, |param| param.unknown.is_some()) {
        repeated(&mut group, first);
    }
    let title = "an unknown parameter is ignored";
    group.add("unknown_parameter", title, Decision("D-unknown-params"), move |seen| {
        let query = format!("{}&undefined_parameter=1", seen.probe_query());
        seen.get(&query).is_accepted(probe)
    });
    let text = Parameter::first(contract, |param| param.values == Values::Text);
    let Some(used) = text.map(|text| text.operation).or(probe).filter(|one| !one.is_json()) else {
        return group;
    };
    let refused = used.refused_with(400);
    let with = move |seen: &Evidence<'_>, value: &str| match text {
        Some(text) => text.with(seen, value),
        None => seen.get(&format!("{}&undefined_parameter={value}", seen.probe_query())),
    };
    let title = format!("a malformed percent-encoding is {refused}");
    group.add("percent_malformed", title, Decision("D-encoding"), move |seen| {
        with(seen, "%zz").is_refused_with(400, Some(used))
    });
    let title = format!("a value that is not UTF-8 is {refused}");
    group.add("percent_not_utf8", title, Decision("D-encoding"), move |seen| {
        with(seen, "%ff").is_refused_with(400, Some(used))
    });
    group
}

/// Adds the checks that send a parameter twice.
fn repeated(group: &mut Group, one: Parameter) {
    let name = one.param.name;
    let twice = move |seen: &Evidence<'_>, other: &str| {
        let value = encoded(&seen.value(one.param));
        one.with(seen, &format!("{value}&{name}={}", encoded(other)))
    };
    let title = format!("the same `{name}` twice is accepted");
    group.add(one.name("twice"), title, Decision("D-repeat"), move |seen| {
        same(&twice(seen, &seen.value(one.param)), &one.with_sample(seen), one)
    });
    let title = format!("two different `{name}` are {}", one.operation.refused_with(400));
    group.add(one.name("twice_differently"), title, Decision("D-repeat"), move |seen| {
        let other = one.param.unknown.unwrap_or_default();
        twice(seen, other).is_refused_with(400, Some(one.operation))
    });
}

/// Requires that two queries succeed and, if the response is a list, return the same records.
fn same(one: &Exchange, other: &Exchange, parameter: Parameter) -> Outcome {
    one.is_accepted(Some(parameter.operation))?;
    other.success()?;
    if !parameter.operation.response.is_list {
        return Ok(());
    }
    let (one, other) = (one.ids(parameter.operation)?, other.ids(parameter.operation)?);
    ensure!(one == other, "{} records instead of {}", one.len(), other.len());
    Ok(())
}
