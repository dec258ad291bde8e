//! `credits/get`.

use serde_json::{Map, Value};

use crate::contract::check::group;
use crate::contract::evidence::Evidence;
use crate::contract::record;
use crate::outcome::{Outcome, ensure, fail};

group! { "credits":
    response: "the balance is answered with 200", Contract("4.3") => |seen| seen.credits.has_status(200);
    object: "the response is an object", Contract("4.3") => |seen| balance(seen).map(drop);
    number: "`credits_number` is a decimal number in text form", Contract("2") => number;
    currency: "`currency` is text and not empty", Contract("2") => currency;
    no_other_fields: "the balance has no unknown field", Decision("D-extra")
        => |seen| record::no_other_fields(&[balance(seen)?], &["credits_number", "currency"]);
    plain_number: "`credits_number` is a plain decimal, without exponent or separators", Decision("D-credits")
        => plain_number;
}

fn number(seen: &Evidence) -> Outcome {
    let text = balance(seen)?.get("credits_number").and_then(Value::as_str);
    let is_number = text.is_some_and(|text| text.parse::<f64>().is_ok_and(f64::is_finite));
    ensure!(is_number, "`credits_number` is not a number in text form");
    Ok(())
}

fn currency(seen: &Evidence) -> Outcome {
    let text = balance(seen)?.get("currency").and_then(Value::as_str);
    ensure!(text.is_some_and(|text| !text.is_empty()), "`currency` is not text, or is empty");
    Ok(())
}

fn plain_number(seen: &Evidence) -> Outcome {
    let text = balance(seen)?.get("credits_number").and_then(Value::as_str).unwrap_or_default();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.split('.').count() <= 2 && digits.split('.').all(record::is_numeric);
    ensure!(is_plain, "`credits_number` has an exponent, separators or other characters");
    Ok(())
}

fn balance(seen: &Evidence) -> Outcome<&Map<String, Value>> {
    match seen.credits.success()?.json()?.as_object() {
        Some(object) => Ok(object),
        None => fail("the response is not an object"),
    }
}
