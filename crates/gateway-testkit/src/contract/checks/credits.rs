//! `credits/get`.

use serde_json::{Map, Value};

use crate::contract::check::{Outcome, ensure, fail, group};
use crate::contract::checks::record;
use crate::contract::evidence::Evidence;

group! { "credits":
    answer: "the balance is answered with 200", Text("4.3");
    object: "the answer is an object", Text("4.3");
    number: "credits_number is a decimal number in text form", Text("2");
    currency: "currency is text that is not empty", Text("2");
    no_other_fields: "the balance has no other field", Decision("D-extra");
    plain_number: "credits_number is a plain decimal", Decision("D-credits");
}

fn answer(evidence: &Evidence) -> Outcome {
    evidence.credits.with_status(200).map(drop)
}

fn object(evidence: &Evidence) -> Outcome {
    balance(evidence).map(drop)
}

fn number(evidence: &Evidence) -> Outcome {
    let text = balance(evidence)?.get("credits_number").and_then(Value::as_str);
    let is_number = text.is_some_and(|text| text.parse::<f64>().is_ok_and(f64::is_finite));
    ensure!(is_number, "credits_number is no number in text form");
    Ok(())
}

fn currency(evidence: &Evidence) -> Outcome {
    let text = balance(evidence)?.get("currency").and_then(Value::as_str);
    ensure!(text.is_some_and(|text| !text.is_empty()), "currency is no text, or empty");
    Ok(())
}

fn no_other_fields(evidence: &Evidence) -> Outcome {
    record::exactly(&[balance(evidence)?], &["credits_number", "currency"], true)
}

fn plain_number(evidence: &Evidence) -> Outcome {
    let text = balance(evidence)?.get("credits_number").and_then(Value::as_str).unwrap_or_default();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.split('.').count() <= 2 && digits.split('.').all(record::is_numeric);
    ensure!(is_plain, "credits_number has an exponent, or signs between its digits");
    Ok(())
}

fn balance(evidence: &Evidence) -> Outcome<&Map<String, Value>> {
    match evidence.credits.success()?.json()?.as_object() {
        Some(object) => Ok(object),
        None => fail("the answer is no object"),
    }
}
