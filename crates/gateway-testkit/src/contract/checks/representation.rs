//! How responses are written: media types, HEAD, conditional requests and compression.

use crate::contract::check::group;
use crate::contract::evidence::Evidence;
use crate::contract::exchange::{Exchange, Response};
use crate::outcome::{Outcome, ensure, fail, skip};

group! { "representation":
    json: "the media type of a response is `application/json`", Contract("1") => json;
    utf8: "responses are UTF-8 without a byte order mark", Rfc("8259, 8.1") => utf8;
    length: "`Content-Length` is the length of the body", Rfc("9110, 8.6") => length;
    date: "responses have a `Date`", Rfc("9110, 6.6.1") => date;
    accept_any: "`Accept: */*` is accepted", Rfc("9110, 12.5.1") => accept_any;
    accept_other: "an unavailable media type is refused with 406", Decision("D-accept")
        => |seen| seen.accept_other.has_status(406);
    head_status: "HEAD has the status of GET", Rfc("9110, 9.3.2") => head_status;
    head_of_a_list: "HEAD of a list has the status of GET", Rfc("9110, 9.3.2") => head_of_a_list;
    head_body: "the response to HEAD has no body", Rfc("9110, 9.3.2") => head_body;
    head_headers: "HEAD has the media type of GET", Rfc("9110, 9.3.2") => head_headers;
    tag: "responses have a weak `ETag`", Decision("D-cache") => tag;
    not_modified: "a current tag in `If-None-Match` is answered with 304", Decision("D-cache") => not_modified;
    not_modified_body: "a 304 has the tag, and no body", Rfc("9110, 15.4.5") => not_modified_body;
    other_tag: "another tag in `If-None-Match` is answered with 200", Rfc("9110, 13.1.2") => other_tag;
    no_coding: "a response is not compressed unless requested", Rfc("9110, 12.5.3") => no_coding;
    gzip: "a response is compressed with gzip if requested", Decision("D-compression") => gzip;
    vary: "`Vary` of a compressible response names `Accept-Encoding`", Rfc("9110, 12.5.5") => vary;
}

fn json(seen: &Evidence) -> Outcome {
    for response in successes(seen)? {
        ensure!(
            response.media_type() == "application/json",
            "the media type is missing or different"
        );
    }
    Ok(())
}

fn utf8(seen: &Evidence) -> Outcome {
    for response in successes(seen)? {
        ensure!(std::str::from_utf8(&response.body).is_ok(), "a body is not UTF-8");
        ensure!(!response.body.starts_with(b"\xEF\xBB\xBF"), "a body has a byte order mark");
    }
    Ok(())
}

fn length(seen: &Evidence) -> Outcome {
    for response in successes(seen)? {
        let given = response.header("content-length").and_then(|text| text.parse::<usize>().ok());
        let length = response.body.len();
        let given = given.unwrap_or(length);
        ensure!(given == length, "`Content-Length` is {given}, but the body has {length} bytes");
    }
    Ok(())
}

fn date(seen: &Evidence) -> Outcome {
    for response in successes(seen)? {
        ensure!(response.header("date").is_some(), "a response has no `Date`");
    }
    Ok(())
}

fn accept_any(seen: &Evidence) -> Outcome {
    seen.credits.success()?;
    seen.accept_any.has_status(200)
}

fn head_status(seen: &Evidence) -> Outcome {
    let status = seen.credits.response()?.status;
    seen.credits_head.has_status(status)
}

fn head_of_a_list(seen: &Evidence) -> Outcome {
    let status = seen.candidates.response()?.status;
    seen.candidates_head.has_status(status)
}

fn head_body(seen: &Evidence) -> Outcome {
    for exchange in [&seen.credits_head, &seen.candidates_head] {
        let length = exchange.response()?.body.len();
        ensure!(length == 0, "the body has {length} bytes");
    }
    Ok(())
}

fn head_headers(seen: &Evidence) -> Outcome {
    let (head, get) = (seen.credits_head.success()?, seen.credits.success()?);
    ensure!(head.media_type() == get.media_type(), "the media type is missing or different");
    Ok(())
}

fn tag(seen: &Evidence) -> Outcome {
    let tag = seen.credits.success()?.header("etag").unwrap_or_default();
    ensure!(tag.starts_with("W/\""), "`ETag` is missing, or strong");
    Ok(())
}

fn not_modified(seen: &Evidence) -> Outcome {
    tagged(&seen.credits)?;
    seen.not_modified.has_status(304)
}

fn not_modified_body(seen: &Evidence) -> Outcome {
    match seen.not_modified.response()? {
        response if response.status != 304 => {
            skip(format!("the status is {}, not 304", response.status))
        }
        response if !response.body.is_empty() => fail("the 304 has a body"),
        response if response.header("etag").is_none() => fail("the 304 has no `ETag`"),
        _ => Ok(()),
    }
}

fn other_tag(seen: &Evidence) -> Outcome {
    seen.credits.success()?;
    seen.other_tag.has_status(200)
}

fn no_coding(seen: &Evidence) -> Outcome {
    for response in successes(seen)? {
        let coding = response.header("content-encoding").unwrap_or("identity");
        ensure!(coding == "identity", "a response is compressed");
    }
    Ok(())
}

fn gzip(seen: &Evidence) -> Outcome {
    let response = seen.gzip.success()?;
    let coding = response.header("content-encoding");
    if coding.is_none() && response.body.len() < ONE_PACKET {
        return skip("the response is too short to compress");
    }
    ensure!(coding == Some("gzip"), "the response is not compressed with gzip");
    ensure!(response.body.starts_with(b"\x1f\x8b"), "the body is not gzip");
    Ok(())
}

fn vary(seen: &Evidence) -> Outcome {
    if seen.gzip.success()?.header("content-encoding").is_none() {
        return skip("the response is not compressed");
    }
    let vary = seen.candidates.success()?.headers.get_all("vary").iter();
    let mut names = vary.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','));
    let is_there =
        names.any(|name| name.trim().eq_ignore_ascii_case("accept-encoding") || name.trim() == "*");
    ensure!(is_there, "`Vary` does not name `Accept-Encoding`");
    Ok(())
}

/// Size in bytes of a response that fits into one packet, where compression saves nothing.
const ONE_PACKET: usize = 1400;

/// Returns the responses of the three operations; skips the check unless all are successes.
fn successes(seen: &Evidence) -> Outcome<[&Response; 3]> {
    let [vacancies, candidates, credits] = [&seen.vacancies, &seen.candidates, &seen.credits];
    Ok([vacancies.success()?, candidates.success()?, credits.success()?])
}

fn tagged(exchange: &Exchange) -> Outcome {
    match exchange.success()?.header("etag") {
        Some(_) => Ok(()),
        None => skip("the response has no `ETag`"),
    }
}
