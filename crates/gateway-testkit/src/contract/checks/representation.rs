//! How answers are written: media types, HEAD, conditions and codings.

use crate::contract::check::{Outcome, ensure, fail, group, not_shown};
use crate::contract::evidence::Evidence;
use crate::contract::exchange::{Answer, Exchange};

group! { "representation":
    json: "answers are application/json", Text("1");
    utf8: "answers are UTF-8 without a byte order mark", Rfc("8259, 8.1");
    length: "Content-Length is the length of the body", Rfc("9110, 8.6");
    date: "answers have a Date", Rfc("9110, 6.6.1");
    accept_any: "*/* is answered", Rfc("9110, 12.5.1");
    accept_other: "a media type that there is not is refused with 406", Decision("D-accept");
    head_status: "HEAD has the status of GET", Rfc("9110, 9.3.2");
    head_of_a_list: "HEAD of a list has the status of GET", Rfc("9110, 9.3.2");
    head_body: "HEAD has no body", Rfc("9110, 9.3.2");
    head_headers: "HEAD has the media type of GET", Rfc("9110, 9.3.2");
    tag: "answers have a weak ETag", Decision("D-cache");
    not_modified: "a tag that is still true is answered with 304", Decision("D-cache");
    not_modified_body: "a 304 has no body, and the tag", Rfc("9110, 15.4.5");
    other_tag: "another tag is answered in full", Rfc("9110, 13.1.2");
    no_coding: "nothing is encoded unless it is asked for", Rfc("9110, 12.5.3");
    gzip: "gzip is used when it is asked for", Decision("D-compression");
    vary: "what may be encoded says so in Vary", Rfc("9110, 12.5.5");
}

fn json(evidence: &Evidence) -> Outcome {
    for answer in successes(evidence)? {
        ensure!(answer.media_type() == "application/json", "the media type is another");
    }
    Ok(())
}

fn utf8(evidence: &Evidence) -> Outcome {
    for answer in successes(evidence)? {
        ensure!(std::str::from_utf8(&answer.body).is_ok(), "a body is not UTF-8");
        ensure!(!answer.body.starts_with(b"\xEF\xBB\xBF"), "a body has a byte order mark");
    }
    Ok(())
}

fn length(evidence: &Evidence) -> Outcome {
    for answer in successes(evidence)? {
        let told = answer.header("content-length").and_then(|text| text.parse::<usize>().ok());
        let is_true = told.is_none_or(|told| told == answer.body.len());
        ensure!(is_true, "it is another at a body of {} bytes", answer.body.len());
    }
    Ok(())
}

fn date(evidence: &Evidence) -> Outcome {
    for answer in successes(evidence)? {
        ensure!(answer.header("date").is_some(), "an answer has none");
    }
    Ok(())
}

fn accept_any(evidence: &Evidence) -> Outcome {
    evidence.credits.success()?;
    evidence.accept_any.with_status(200).map(drop)
}

fn accept_other(evidence: &Evidence) -> Outcome {
    evidence.accept_other.with_status(406).map(drop)
}

fn head_status(evidence: &Evidence) -> Outcome {
    let status = evidence.credits.answer()?.status;
    evidence.credits_head.with_status(status).map(drop)
}

fn head_of_a_list(evidence: &Evidence) -> Outcome {
    let status = evidence.candidates.answer()?.status;
    evidence.candidates_head.with_status(status).map(drop)
}

fn head_body(evidence: &Evidence) -> Outcome {
    for exchange in [&evidence.credits_head, &evidence.candidates_head] {
        let length = exchange.answer()?.body.len();
        ensure!(length == 0, "there are {length} bytes");
    }
    Ok(())
}

fn head_headers(evidence: &Evidence) -> Outcome {
    let (head, get) = (evidence.credits_head.success()?, evidence.credits.success()?);
    ensure!(head.media_type() == get.media_type(), "the media type is another, or missing");
    Ok(())
}

fn tag(evidence: &Evidence) -> Outcome {
    let tag = evidence.credits.success()?.header("etag").unwrap_or_default();
    ensure!(tag.starts_with("W/\""), "there is none, or a strong one");
    Ok(())
}

fn not_modified(evidence: &Evidence) -> Outcome {
    tagged(&evidence.credits)?;
    evidence.not_modified.with_status(304).map(drop)
}

fn not_modified_body(evidence: &Evidence) -> Outcome {
    match evidence.not_modified.answer()? {
        answer if answer.status != 304 => not_shown(format!("the status is {}", answer.status)),
        answer if !answer.body.is_empty() => fail("it has a body"),
        answer if answer.header("etag").is_none() => fail("it has no tag"),
        _ => Ok(()),
    }
}

fn other_tag(evidence: &Evidence) -> Outcome {
    evidence.credits.success()?;
    evidence.other_tag.with_status(200).map(drop)
}

fn no_coding(evidence: &Evidence) -> Outcome {
    for answer in successes(evidence)? {
        let coding = answer.header("content-encoding").unwrap_or("identity");
        ensure!(coding == "identity", "an answer is encoded");
    }
    Ok(())
}

fn gzip(evidence: &Evidence) -> Outcome {
    let answer = evidence.gzip.success()?;
    let coding = answer.header("content-encoding");
    if coding.is_none() && answer.body.len() < WORTH_ENCODING {
        return not_shown("the answer is too short to be worth it");
    }
    ensure!(coding == Some("gzip"), "the answer is not encoded");
    ensure!(answer.body.starts_with(b"\x1f\x8b"), "the body is no gzip");
    Ok(())
}

fn vary(evidence: &Evidence) -> Outcome {
    if evidence.gzip.success()?.header("content-encoding").is_none() {
        return not_shown("nothing is encoded");
    }
    let vary = evidence.candidates.success()?.headers.get_all("vary").iter();
    let mut names = vary.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','));
    let is_there =
        names.any(|name| name.trim().eq_ignore_ascii_case("accept-encoding") || name.trim() == "*");
    ensure!(is_there, "Vary does not name Accept-Encoding");
    Ok(())
}

/// What fits into one packet comes no sooner when it is shorter, in bytes.
const WORTH_ENCODING: usize = 1400;

/// The answers of the three operations, if all are successes.
fn successes(evidence: &Evidence) -> Outcome<[&Answer; 3]> {
    let [vacancies, candidates, credits] =
        [&evidence.vacancies, &evidence.candidates, &evidence.credits];
    Ok([vacancies.success()?, candidates.success()?, credits.success()?])
}

fn tagged(exchange: &Exchange) -> Outcome {
    match exchange.success()?.header("etag") {
        Some(_) => Ok(()),
        None => not_shown("there is no tag"),
    }
}
