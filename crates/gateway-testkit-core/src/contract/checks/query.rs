//! How a query is parsed: repeated and unknown parameters, and percent-encoding.

use crate::contract::check::Group;
use crate::contract::check::Source::{Decision, Rfc};
use crate::contract::description::{Contract, Values};
use crate::contract::evidence::Evidence;
use crate::contract::exchange::Exchange;
use crate::contract::parameter::Parameter;
use crate::encoded::encoded;
use crate::outcome::{Outcome, ensure, skip};

/// Returns the checks. They use one parameter of the service each, if it has one that fits.
pub(super) fn group(contract: &'static Contract) -> Group {
    let mut group = Group::new("filters");
    if let Some(first) = Parameter::first(contract, |param| param.unknown.is_some()) {
        repeated(&mut group, first);
    }
    let title = "an unknown parameter is ignored";
    group.add("unknown_parameter", title, Decision("D-unknown-params"), |seen| {
        seen.get(&format!("{}&undefined_parameter=1", seen.probe_query())).has_status(200)
    });
    let text = Parameter::first(contract, |param| param.values == Values::Text);
    if let Some(text) = text
        && let Some(sample) = text.sample_with_encoded_letter()
    {
        let title = "a percent-encoded letter in a value means the letter";
        group.add("percent_encoding", title, Rfc("3986, 2.3"), move |seen| {
            let plain = text.with_sample(seen);
            if text.operation.is_list() && plain.ids(text.operation)?.is_empty() {
                return skip(format!("no record has the `{}` of the check", text.param.name));
            }
            same(&text.with(seen, &sample), &plain, text)
        });
    }
    let with = move |seen: &Evidence<'_>, value: &str| match text {
        Some(text) => text.with(seen, value),
        None => seen.get(&format!("{}&undefined_parameter={value}", seen.probe_query())),
    };
    let title = "a malformed percent-encoding is refused with 400";
    group.add("percent_malformed", title, Decision("D-encoding"), move |seen| {
        with(seen, "%zz").has_status(400)
    });
    let title = "a value that is not UTF-8 is refused with 400";
    group.add("percent_not_utf8", title, Decision("D-encoding"), move |seen| {
        with(seen, "%ff").has_status(400)
    });
    group
}

/// Adds the checks of a parameter that is given twice.
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
    let title = format!("two different `{name}` are refused with 400");
    group.add(one.name("twice_differently"), title, Decision("D-repeat"), move |seen| {
        twice(seen, one.param.unknown.unwrap_or_default()).has_status(400)
    });
}

/// Requires that two queries have the same meaning.
fn same(one: &Exchange, other: &Exchange, parameter: Parameter) -> Outcome {
    one.has_status(200)?;
    other.success()?;
    if !parameter.operation.is_list() {
        return Ok(());
    }
    let (one, other) = (one.ids(parameter.operation)?, other.ids(parameter.operation)?);
    ensure!(one == other, "{} records instead of {}", one.len(), other.len());
    Ok(())
}
