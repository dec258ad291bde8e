//! `candidates/list` without a filter.

use serde_json::Value;

use crate::contract::check::group;
use crate::contract::evidence::Evidence;
use crate::contract::record;
use crate::outcome::{Outcome, ensure, fail, skip};

group! { "candidates":
    response: "the list is answered with 200", Contract("4.1")
        => |seen| seen.candidates.has_status(200);
    envelope: "the response is an object", Contract("4.1") => envelope;
    success: "`status` is `success`", Contract("4.1, 7") => success;
    result: "`result` is an array", Contract("4.1") => result;
    objects: "every element is an object", Contract("4.1")
        => |seen| record::objects(seen.candidates.list()?).map(drop);
    id: "`id` is numeric text", Contract("2")
        => |seen| record::numeric_ids(seen.candidates.list()?);
    ids_differ: "every candidate has a different `id`", Contract("2")
        => |seen| record::distinct(&seen.candidates.ids()?);
    name: "`name` is text", Contract("2")
        => |seen| record::text(&seen.candidates.records()?, "name");
    email: "`email` is text", Contract("2")
        => |seen| record::text(&seen.candidates.records()?, "email");
    phone: "`phone` is text", Contract("2")
        => |seen| record::text(&seen.candidates.records()?, "phone");
    phone_mobile: "`phone_mobile` is text", Contract("2")
        => |seen| record::text(&seen.candidates.records()?, "phone_mobile");
    date: "`date` has the form YYYY-MM-DD HH:MM:SS", Contract("2") => date;
    kind: "`type` is text", Contract("2")
        => |seen| record::text(&seen.candidates.records()?, "type");
    portal: "`portal` is an object whose `id` and `name` are text", Contract("2") => portal;
    no_status: "a candidate has no field `status`", Contract("3") => no_status;
    order: "candidates are sorted by ascending `id`", Decision("D-order")
        => |seen| record::ascending(&seen.candidates.ids()?);
    all_fields: "every candidate has every field", Decision("D-presence")
        => |seen| record::all_fields(&seen.candidates.records()?, FIELDS);
    no_other_fields: "no candidate has an unknown field", Decision("D-extra")
        => |seen| record::no_other_fields(&seen.candidates.records()?, FIELDS);
    real_dates: "every `date` exists in the calendar, or is empty", Decision("D-date") => real_dates;
}

fn envelope(seen: &Evidence) -> Outcome {
    ensure!(seen.candidates.success()?.json()?.is_object(), "the response is not an object");
    Ok(())
}

fn success(seen: &Evidence) -> Outcome {
    let status = seen.candidates.success()?.json()?.get("status");
    ensure!(status.and_then(Value::as_str) == Some("success"), "`status` is not `success`");
    Ok(())
}

fn result(seen: &Evidence) -> Outcome {
    let result = seen.candidates.success()?.json()?.get("result");
    ensure!(result.is_some_and(Value::is_array), "`result` is not an array");
    Ok(())
}

fn date(seen: &Evidence) -> Outcome {
    record::text_like(
        &seen.candidates.records()?,
        "date",
        "in the form YYYY-MM-DD HH:MM:SS",
        |text| text.is_empty() || has_form(text),
    )
}

fn portal(seen: &Evidence) -> Outcome {
    let mut portals = Vec::new();
    for candidate in seen.candidates.records()? {
        match candidate.get("portal") {
            None | Some(Value::Null) => {}
            Some(Value::Object(portal)) => portals.push(portal),
            Some(_) => return fail("`portal` is not an object"),
        }
    }
    if portals.is_empty() {
        return skip("no candidate has a portal");
    }
    record::text(&portals, "id")?;
    record::text(&portals, "name")
}

fn no_status(seen: &Evidence) -> Outcome {
    let candidates = seen.candidates.records()?;
    let with = candidates.iter().filter(|candidate| candidate.contains_key("status")).count();
    ensure!(with == 0, "{with} candidates have the field `status`");
    Ok(())
}

fn real_dates(seen: &Evidence) -> Outcome {
    record::text_like(&seen.candidates.records()?, "date", "a real date", |text| {
        text.is_empty() || is_date(text)
    })
}

/// Whether the text has digits where the pattern has them, on any date.
fn has_form(text: &str) -> bool {
    text.len() == PATTERN.len()
        && text.bytes().zip(PATTERN.bytes()).all(|(byte, pattern)| match pattern {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        })
}

/// Whether the text is a day of the calendar with a time of day.
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
    has_form(text) && (1..=days).contains(&day) && hour < 24 && minute < 60 && second < 60
}

const PATTERN: &str = "0000-00-00 00:00:00";

const FIELDS: &[&str] = &["id", "name", "email", "phone", "phone_mobile", "date", "portal", "type"];
