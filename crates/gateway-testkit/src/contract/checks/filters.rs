//! `candidates/list` with its filters, and how a query is read.

use std::collections::BTreeSet;

use crate::contract::check::{Outcome, ensure, fail, group, not_shown};
use crate::contract::evidence::Evidence;
use crate::contract::exchange::Exchange;

group! { "filters":
    vacancy_answer: "a vacancy's candidates are answered with 200", Text("4.1");
    vacancy_envelope: "a vacancy's candidates come in the same object", Text("4.1");
    vacancy_subset: "a vacancy's candidates are among all candidates", Text("4.1 rule 2");
    status_answer: "candidates of a status are answered with 200", Text("4.1");
    status_subset: "candidates of a status are among those of the vacancy", Text("4.1 rule 3");
    status_of_nobody: "nobody has a status that nobody was given", Text("4.1 rule 3");
    status_alone: "status without vacancy_id has no effect", Text("4.1 rule 4");
    status_alone_notice: "a header tells that it has no effect", Decision("D-status-alone");
    status_case: "a status is matched exactly", Decision("D-status-match");
    unknown_vacancy: "an unknown vacancy has no candidates", Decision("D-vacancy-id");
    vacancy_text: "a vacancy_id that is no integer is refused with 400", Decision("D-vacancy-id");
    vacancy_empty: "an empty vacancy_id is refused with 400", Decision("D-empty");
    status_empty: "an empty status is refused with 400", Decision("D-empty");
    vacancy_twice: "the same vacancy_id twice is fine", Decision("D-repeat");
    vacancy_twice_differently: "two different vacancy_id are refused with 400", Decision("D-repeat");
    unknown_parameter: "a parameter that nobody defined is ignored", Decision("D-unknown-params");
    percent_encoding: "%4E is the letter N", Rfc("3986, 2.3");
    percent_malformed: "a malformed percent-encoding is refused with 400", Decision("D-encoding");
    percent_not_utf8: "a value that is not UTF-8 is refused with 400", Decision("D-encoding");
}

fn vacancy_answer(evidence: &Evidence) -> Outcome {
    evidence.of_vacancy.with_status(200).map(drop)
}

fn vacancy_envelope(evidence: &Evidence) -> Outcome {
    let json = evidence.of_vacancy.success()?.json()?;
    let is_success = json.get("status").and_then(|status| status.as_str()) == Some("success");
    ensure!(is_success, "status is something else than success");
    ensure!(json.get("result").is_some_and(serde_json::Value::is_array), "result is no array");
    Ok(())
}

fn vacancy_subset(evidence: &Evidence) -> Outcome {
    subset(&evidence.of_vacancy, &evidence.candidates)
}

fn status_answer(evidence: &Evidence) -> Outcome {
    evidence.of_status.with_status(200).map(drop)
}

fn status_subset(evidence: &Evidence) -> Outcome {
    subset(&evidence.of_status, &evidence.of_vacancy)
}

fn status_of_nobody(evidence: &Evidence) -> Outcome {
    empty(&evidence.of_no_status)
}

fn status_alone(evidence: &Evidence) -> Outcome {
    let all: BTreeSet<_> = evidence.candidates.ids()?.into_iter().collect();
    evidence.status_alone.with_status(200)?;
    let alone: BTreeSet<_> = evidence.status_alone.ids()?.into_iter().collect();
    if alone != all {
        unchanged(&evidence.candidates, &evidence.status_alone)?;
        return fail(format!("{} candidates instead of {}", alone.len(), all.len()));
    }
    Ok(())
}

fn status_alone_notice(evidence: &Evidence) -> Outcome {
    let notice = evidence.status_alone.success()?.header("gateway-notice");
    ensure!(notice.is_some_and(|text| !text.is_empty()), "there is no Gateway-Notice header");
    Ok(())
}

fn status_case(evidence: &Evidence) -> Outcome {
    if evidence.of_status.ids()?.is_empty() {
        return not_shown("no candidate of the vacancy has the status New");
    }
    empty(&evidence.of_status_upper)
}

fn unknown_vacancy(evidence: &Evidence) -> Outcome {
    evidence.of_no_vacancy.with_status(200)?;
    empty(&evidence.of_no_vacancy)
}

fn vacancy_text(evidence: &Evidence) -> Outcome {
    evidence.vacancy_text.with_status(400).map(drop)
}

fn vacancy_empty(evidence: &Evidence) -> Outcome {
    evidence.vacancy_empty.with_status(400).map(drop)
}

fn status_empty(evidence: &Evidence) -> Outcome {
    evidence.status_empty.with_status(400).map(drop)
}

fn vacancy_twice(evidence: &Evidence) -> Outcome {
    evidence.vacancy_twice.with_status(200)?;
    same(&evidence.vacancy_twice, &evidence.of_vacancy)
}

fn vacancy_twice_differently(evidence: &Evidence) -> Outcome {
    evidence.vacancy_twice_differently.with_status(400).map(drop)
}

fn unknown_parameter(evidence: &Evidence) -> Outcome {
    evidence.unknown_parameter.with_status(200).map(drop)
}

fn percent_encoding(evidence: &Evidence) -> Outcome {
    if evidence.of_status.ids()?.is_empty() {
        return not_shown("no candidate of the vacancy has the status New");
    }
    evidence.of_status_encoded.with_status(200)?;
    same(&evidence.of_status_encoded, &evidence.of_status)
}

fn percent_malformed(evidence: &Evidence) -> Outcome {
    evidence.percent_malformed.with_status(400).map(drop)
}

fn percent_not_utf8(evidence: &Evidence) -> Outcome {
    evidence.percent_not_utf8.with_status(400).map(drop)
}

/// Every record of the one list is in the other.
fn subset(of: &Exchange, among: &Exchange) -> Outcome {
    let whole: BTreeSet<_> = among.ids()?.into_iter().collect();
    let part = of.ids()?;
    if part.is_empty() {
        return not_shown("the list is empty");
    }
    let strangers = part.iter().filter(|id| !whole.contains(**id)).count();
    if strangers > 0 {
        unchanged(of, among)?;
        return fail(format!("{strangers} of {} candidates are not among them", part.len()));
    }
    Ok(())
}

/// Two answers can only be compared if the data is the same: a service with tags tells.
fn unchanged(one: &Exchange, other: &Exchange) -> Outcome {
    match (one.success()?.header("etag"), other.success()?.header("etag")) {
        (Some(one), Some(other)) if one != other => not_shown("the data changed meanwhile"),
        _ => Ok(()),
    }
}

fn same(one: &Exchange, other: &Exchange) -> Outcome {
    let (one, other) = (one.ids()?, other.ids()?);
    ensure!(one == other, "{} candidates instead of {}", one.len(), other.len());
    Ok(())
}

fn empty(exchange: &Exchange) -> Outcome {
    let count = exchange.list()?.len();
    ensure!(count == 0, "there are {count}");
    Ok(())
}
