//! `candidates/list` without a filter.

use serde_json::{Map, Value};

use crate::contract::check::{Outcome, ensure, fail, group, not_shown};
use crate::contract::checks::record;
use crate::contract::evidence::Evidence;

group! { "candidates":
    answer: "the list is answered with 200", Text("4.1");
    envelope: "the answer is an object", Text("4.1");
    success: "status is the text success", Text("4.1, 7");
    result: "result is an array", Text("4.1");
    objects: "every element is an object", Text("4.1");
    id: "id is numeric text", Text("2");
    ids_differ: "no two candidates have the same id", Text("2");
    name: "name is text", Text("2");
    email: "email is text", Text("2");
    phone: "phone is text", Text("2");
    phone_mobile: "phone_mobile is text", Text("2");
    date: "date is written as YYYY-MM-DD HH:MM:SS", Text("2");
    kind: "type is text", Text("2");
    portal: "portal is an object whose id and name are texts", Text("2");
    no_status: "the status of a candidate is no field of its record", Text("3");
    order: "candidates come by ascending id", Decision("D-order");
    all_fields: "every candidate has every field", Decision("D-presence");
    no_other_fields: "no candidate has another field", Decision("D-extra");
    real_dates: "every date is a date, or empty", Decision("D-date");
}

fn answer(evidence: &Evidence) -> Outcome {
    evidence.candidates.with_status(200).map(drop)
}

fn envelope(evidence: &Evidence) -> Outcome {
    ensure!(evidence.candidates.success()?.json()?.is_object(), "the answer is no object");
    Ok(())
}

fn success(evidence: &Evidence) -> Outcome {
    let status = evidence.candidates.success()?.json()?.get("status");
    ensure!(status.and_then(Value::as_str) == Some("success"), "status is something else");
    Ok(())
}

fn result(evidence: &Evidence) -> Outcome {
    let result = evidence.candidates.success()?.json()?.get("result");
    ensure!(result.is_some_and(Value::is_array), "result is no array");
    Ok(())
}

fn objects(evidence: &Evidence) -> Outcome {
    record::objects(evidence.candidates.list()?).map(drop)
}

fn id(evidence: &Evidence) -> Outcome {
    record::numeric_ids(evidence.candidates.list()?)
}

fn ids_differ(evidence: &Evidence) -> Outcome {
    record::distinct(&evidence.candidates.ids()?)
}

fn name(evidence: &Evidence) -> Outcome {
    record::text_where_there(&some(evidence)?, "name", |_| true)
}

fn email(evidence: &Evidence) -> Outcome {
    record::text_where_there(&some(evidence)?, "email", |_| true)
}

fn phone(evidence: &Evidence) -> Outcome {
    record::text_where_there(&some(evidence)?, "phone", |_| true)
}

fn phone_mobile(evidence: &Evidence) -> Outcome {
    record::text_where_there(&some(evidence)?, "phone_mobile", |_| true)
}

fn date(evidence: &Evidence) -> Outcome {
    record::text_where_there(&some(evidence)?, "date", |text| text.is_empty() || is_written(text))
}

fn kind(evidence: &Evidence) -> Outcome {
    record::text_where_there(&some(evidence)?, "type", |_| true)
}

fn portal(evidence: &Evidence) -> Outcome {
    let mut portals = Vec::new();
    for candidate in some(evidence)? {
        match candidate.get("portal") {
            None | Some(Value::Null) => {}
            Some(Value::Object(portal)) => portals.push(portal),
            Some(_) => return fail("portal is no object"),
        }
    }
    if portals.is_empty() {
        return not_shown("no candidate has a portal");
    }
    record::text_where_there(&portals, "id", |_| true)?;
    record::text_where_there(&portals, "name", |_| true)
}

fn no_status(evidence: &Evidence) -> Outcome {
    let with = some(evidence)?.iter().filter(|candidate| candidate.contains_key("status")).count();
    ensure!(with == 0, "{with} candidates have the member status");
    Ok(())
}

fn order(evidence: &Evidence) -> Outcome {
    record::ascending(&evidence.candidates.ids()?)
}

fn all_fields(evidence: &Evidence) -> Outcome {
    record::exactly(&some(evidence)?, FIELDS, false)
}

fn no_other_fields(evidence: &Evidence) -> Outcome {
    record::exactly(&some(evidence)?, FIELDS, true)
}

fn real_dates(evidence: &Evidence) -> Outcome {
    record::text_where_there(&some(evidence)?, "date", |text| text.is_empty() || is_date(text))
}

fn some(evidence: &Evidence) -> Outcome<Vec<&Map<String, Value>>> {
    record::some_objects(evidence.candidates.list()?)
}

/// Digits where digits stand, whatever date they make.
fn is_written(text: &str) -> bool {
    text.len() == PATTERN.len()
        && text.bytes().zip(PATTERN.bytes()).all(|(byte, pattern)| match pattern {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        })
}

/// A day that there is, at a time that there is.
fn is_date(text: &str) -> bool {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok();
    let [Some(year), Some(month), Some(day), Some(hour), Some(minute), Some(second)] =
        [number(0, 4), number(5, 7), number(8, 10), number(11, 13), number(14, 16), number(17, 19)]
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return false,
    };
    is_written(text) && (1..=days).contains(&day) && hour < 24 && minute < 60 && second < 60
}

const PATTERN: &str = "0000-00-00 00:00:00";

const FIELDS: &[&str] = &["id", "name", "email", "phone", "phone_mobile", "date", "portal", "type"];
