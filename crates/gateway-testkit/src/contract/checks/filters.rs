//! `candidates/list` with its filters, and how a query is parsed.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::contract::check::group;
use crate::contract::evidence::Evidence;
use crate::contract::exchange::Exchange;
use crate::outcome::{Outcome, ensure, fail, skip};

group! { "filters":
    vacancy_response: "the candidates of a vacancy are answered with 200", Contract("4.1")
        => |seen| seen.of_vacancy.has_status(200);
    vacancy_envelope: "the response for a vacancy is an object with `status` and `result`", Contract("4.1")
        => vacancy_envelope;
    vacancy_subset: "the candidates of a vacancy are a subset of all candidates", Contract("4.1 rule 2")
        => |seen| subset(&seen.of_vacancy, &seen.candidates);
    status_response: "the candidates with a status are answered with 200", Contract("4.1")
        => |seen| seen.of_status.has_status(200);
    status_subset: "the candidates with a status are a subset of those of the vacancy", Contract("4.1 rule 3")
        => |seen| subset(&seen.of_status, &seen.of_vacancy);
    status_of_nobody: "an unused status matches no candidate", Contract("4.1 rule 3")
        => |seen| empty(&seen.of_no_status);
    status_alone: "`status` without `vacancy_id` has no effect", Contract("4.1 rule 4") => status_alone;
    status_alone_notice: "a header says that `status` without `vacancy_id` has no effect", Decision("D-status-alone")
        => status_alone_notice;
    status_case: "a status is matched case-sensitively", Decision("D-status-match") => status_case;
    unknown_vacancy: "an unknown vacancy has no candidates", Decision("D-vacancy-id")
        => unknown_vacancy;
    vacancy_text: "a `vacancy_id` that is not an integer is refused with 400", Decision("D-vacancy-id")
        => |seen| seen.vacancy_text.has_status(400);
    vacancy_empty: "an empty `vacancy_id` is refused with 400", Decision("D-empty")
        => |seen| seen.vacancy_empty.has_status(400);
    status_empty: "an empty `status` is refused with 400", Decision("D-empty")
        => |seen| seen.status_empty.has_status(400);
    vacancy_twice: "the same `vacancy_id` twice is accepted", Decision("D-repeat") => vacancy_twice;
    vacancy_twice_differently: "two different `vacancy_id` are refused with 400", Decision("D-repeat")
        => |seen| seen.vacancy_twice_differently.has_status(400);
    unknown_parameter: "an unknown parameter is ignored", Decision("D-unknown-params")
        => |seen| seen.unknown_parameter.has_status(200);
    percent_encoding: "`%4E` in a value means `N`", Rfc("3986, 2.3") => percent_encoding;
    percent_malformed: "a malformed percent-encoding is refused with 400", Decision("D-encoding")
        => |seen| seen.percent_malformed.has_status(400);
    percent_not_utf8: "a value that is not UTF-8 is refused with 400", Decision("D-encoding")
        => |seen| seen.percent_not_utf8.has_status(400);
}

fn vacancy_envelope(seen: &Evidence) -> Outcome {
    let json = seen.of_vacancy.success()?.json()?;
    let is_success = json.get("status").and_then(Value::as_str) == Some("success");
    ensure!(is_success, "`status` is not `success`");
    ensure!(json.get("result").is_some_and(Value::is_array), "`result` is not an array");
    Ok(())
}

fn status_alone(seen: &Evidence) -> Outcome {
    let all: BTreeSet<_> = seen.candidates.ids()?.into_iter().collect();
    seen.status_alone.has_status(200)?;
    let alone: BTreeSet<_> = seen.status_alone.ids()?.into_iter().collect();
    if alone != all {
        unchanged(&seen.candidates, &seen.status_alone)?;
        return fail(format!("{} candidates instead of {}", alone.len(), all.len()));
    }
    Ok(())
}

fn status_alone_notice(seen: &Evidence) -> Outcome {
    let notice = seen.status_alone.success()?.header("gateway-notice");
    let is_there = notice.is_some_and(|text| !text.is_empty());
    ensure!(is_there, "the header `Gateway-Notice` is missing or empty");
    Ok(())
}

fn status_case(seen: &Evidence) -> Outcome {
    has_new_candidates(seen)?;
    empty(&seen.of_status_upper)
}

fn unknown_vacancy(seen: &Evidence) -> Outcome {
    seen.of_no_vacancy.has_status(200)?;
    empty(&seen.of_no_vacancy)
}

fn vacancy_twice(seen: &Evidence) -> Outcome {
    seen.vacancy_twice.has_status(200)?;
    same(&seen.vacancy_twice, &seen.of_vacancy)
}

fn percent_encoding(seen: &Evidence) -> Outcome {
    has_new_candidates(seen)?;
    seen.of_status_encoded.has_status(200)?;
    same(&seen.of_status_encoded, &seen.of_status)
}

fn has_new_candidates(seen: &Evidence) -> Outcome {
    if seen.of_status.ids()?.is_empty() {
        return skip("no candidate of the vacancy has the status New");
    }
    Ok(())
}

/// Requires that every record of one list is in the other.
fn subset(of: &Exchange, among: &Exchange) -> Outcome {
    let whole: BTreeSet<_> = among.ids()?.into_iter().collect();
    let part = of.ids()?;
    if part.is_empty() {
        return skip("the list is empty");
    }
    let strangers = part.iter().filter(|id| !whole.contains(**id)).count();
    if strangers > 0 {
        unchanged(of, among)?;
        return fail(format!(
            "{strangers} of {} candidates are not in the larger list",
            part.len()
        ));
    }
    Ok(())
}

/// Skips the check if the data changed between two responses, as far as their tags show.
fn unchanged(one: &Exchange, other: &Exchange) -> Outcome {
    match (one.success()?.header("etag"), other.success()?.header("etag")) {
        (Some(one), Some(other)) if one != other => skip("the data changed between two requests"),
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
    ensure!(count == 0, "{count} candidates instead of 0");
    Ok(())
}
