//! The response of each operation: its form, the fields of its records, and its pages.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::contract::checks::Group;
use crate::contract::checks::Source::{self, Contract, Decision};
use crate::contract::description::{Data, Kind, Operation, PRESENCE, point};
use crate::contract::evidence::{Evidence, unknown};
use crate::contract::exchange::Exchange;
use crate::contract::record;
use crate::outcome::{Outcome, fail, skip};

/// Returns an operation's checks, without optional parameters. If it may not be called, its only check is skipped.
pub(super) fn group(operation: &'static Operation) -> Group {
    let mut group = Group::new(operation.group);
    if !operation.is_called() {
        let title = "the call is answered with 200";
        group.add("response", title, Contract(operation.source), |_| {
            skip("the contract does not declare this POST idempotent")
        });
        return group;
    }
    form(&mut group, operation);
    if operation.response.is_list {
        list(&mut group, operation);
    }
    fields(&mut group, operation);
    for field in operation.record.fields {
        let mut title = format!("`{}` is {}", field.name, record::shape(&field.kind));
        match field.kind {
            Kind::Record(_) => title.push_str(" whose fields have the listed types"),
            Kind::List(_) | Kind::Map(_) => title.push_str(" whose values have the listed type"),
            _ => {}
        }
        let source = Contract(field.source);
        of_records(&mut group, operation, field.check, title, source, |records| {
            record::field(records, field)
        });
    }
    group
}

/// Adds the checks of the status and of the envelope.
fn form(group: &mut Group, operation: &'static Operation) {
    let source = Contract(operation.source);
    let what = if operation.response.is_list { "list" } else { "object" };
    group.add("response", format!("the {what} is answered with 200"), source, move |seen| {
        known(seen, operation)?.has_status(200)
    });
    let data = &operation.response;
    if let Some(title) = data.success_title() {
        group.add("success", title, source, move |seen| {
            reports_success(&*known(seen, operation)?, data)
        });
    }
    let (place, what) = data.place();
    group.add("result", format!("{place} is {what}"), source, move |seen| {
        has_data(&*known(seen, operation)?, data)
    });
    if operation.response.is_list {
        group.add("objects", "every element is an object", source, move |seen| {
            record::objects(seen.plain(operation).list(operation)?).map(drop)
        });
    }
}

/// Requires that a body reports success.
pub(super) fn reports_success(exchange: &Exchange, data: &Data) -> Outcome {
    match data.failure_of(exchange.success()?.json()?) {
        Some(why) => fail(why),
        None => Ok(()),
    }
}

/// Requires that a response has its data where the contract says.
pub(super) fn has_data(exchange: &Exchange, data: &Data) -> Outcome {
    let json = exchange.success()?.json()?;
    let has_data = if data.is_list {
        data.elements(json).is_some()
    } else {
        data.data(json).is_some_and(Value::is_object)
    };
    if has_data { Ok(()) } else { fail(data.mistake(data.data(json))) }
}

/// Adds the checks of the list as a whole.
fn list(group: &mut Group, operation: &'static Operation) {
    for param in operation.params {
        let Some(attribute) = param.recovers else { continue };
        let title = format!("no record has the field `{attribute}`");
        let (name, source) = (format_args!("no_{attribute}"), Contract(param.source));
        of_records(group, operation, name, title, source, |records| {
            record::lacks(records, attribute)
        });
    }
    let Some(identity) = operation.record.identity() else { return };
    let name = identity.name;
    let title = format!("every record has a different `{name}`");
    group.add("ids_differ", title, Contract(identity.source), move |seen| {
        record::distinct(&seen.plain(operation).ids(operation)?, name)
    });
    if matches!(identity.kind, Kind::Digits | Kind::Integer) {
        let title = format!("the list is sorted by ascending `{name}`");
        group.add("order", title, Decision("D-order"), move |seen| {
            record::ascending(&seen.plain(operation).ids(operation)?, name)
        });
    }
}

/// Adds the checks of points about fields that a contract may leave open.
fn fields(group: &mut Group, operation: &'static Operation) {
    let record = operation.record;
    if record.fields.iter().any(|field| !field.required) {
        let (title, source) = ("every record has every field", Decision(PRESENCE));
        of_records(group, operation, "all_fields", title, source, |records| {
            record::all_fields(records, record)
        });
    }
    let (title, source) = ("no record has an unknown field", Decision("D-extra"));
    of_records(group, operation, "no_other_fields", title, source, |records| {
        record::no_other_fields(records, record)
    });
    let all = record.all_fields();
    if let Some(date) = all.iter().find(|field| matches!(field.kind.element(), Kind::CivilDateTime))
    {
        let title = "every date is a valid calendar date or empty";
        let source = Decision(point(date.open, "-date", "D-date"));
        of_records(group, operation, "real_dates", title, source, |records| {
            record::real_dates(records, record)
        });
    }
    if let Some(number) = all.iter().find(|field| matches!(field.kind.element(), Kind::Decimal)) {
        let title = "every decimal number is plain, without exponent or separators";
        let source = Decision(point(number.open, "-decimal", "D-decimal"));
        of_records(group, operation, "plain_numbers", title, source, |records| {
            record::plain_numbers(records, record)
        });
    }
}

/// Adds a check of the records. It is skipped if the list is empty.
fn of_records(
    group: &mut Group,
    operation: &'static Operation,
    name: impl fmt::Display,
    title: impl Into<Cow<'static, str>>,
    source: Source,
    judge: impl Fn(&[&Map<String, Value>]) -> Outcome + 'static,
) {
    group.add(name, title, source, move |seen| {
        let exchange = if operation.reports_failures {
            known(seen, operation)?
        } else {
            seen.plain(operation)
        };
        judge(&exchange.records(operation)?)
    });
}

/// Calls the operation without optional parameters. Skips the check if the service refuses a value that it may lack.
fn known(seen: &Evidence<'_>, operation: &'static Operation) -> Outcome<Rc<Exchange>> {
    let exchange = seen.plain(operation);
    let mut required = operation.params.iter().filter(|param| param.required);
    if let Some(param) = required.find(|param| !seen.is_known(param)) {
        unknown(&exchange, operation, param)?;
    }
    Ok(exchange)
}
