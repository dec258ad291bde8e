//! How responses are written: media types, HEAD, conditional requests and compression.

use std::borrow::Cow;
use std::rc::Rc;

use crate::contract::checks::Group;
use crate::contract::checks::Source::{self, Contract as Section, Decision, Rfc};
use crate::contract::description::{Contract, Operation};
use crate::contract::evidence::{Ask, Evidence};
use crate::contract::exchange::{Exchange, Response};
use crate::contract::record::quoted;
use crate::outcome::{Outcome, ensure, skip};

pub(super) fn group(contract: &'static Contract) -> Group {
    let mut group = Group::new("representation");
    let title = format!("the media type of a response is `{}`", contract.accept);
    of_successes(&mut group, "json", title, Section(contract.source), |seen, response| {
        let (accept, found) = (seen.contract.accept, response.quoted_type());
        let is_right = response.media_type() == accept.to_ascii_lowercase();
        ensure!(is_right, "the media type is {found}, expected `{accept}`");
        Ok(())
    });
    let title = "responses are UTF-8 without a byte order mark";
    of_successes(&mut group, "utf8", title, Rfc("8259, 8.1"), |_, response| {
        ensure!(std::str::from_utf8(&response.body).is_ok(), "a body is not UTF-8");
        ensure!(!response.body.starts_with(b"\xEF\xBB\xBF"), "a body has a byte order mark");
        Ok(())
    });
    group.add("accept_any", "`Accept: */*` is accepted", Rfc("9110, 12.5.1"), |seen| {
        seen.probe().success()?;
        with(seen, "accept", "*/*").has_status(200)
    });
    let title = "an unavailable media type is refused with 406";
    group.add("accept_other", title, Decision("D-accept"), |seen| {
        with(seen, "accept", "text/html").has_status(406)
    });
    if contract.probes_by_get() {
        head_checks(&mut group, contract);
        conditional(&mut group);
    }
    let title = "a response is not compressed unless requested";
    of_successes(&mut group, "no_coding", title, Rfc("9110, 12.5.3"), |_, response| {
        let coding = response.header("content-encoding").unwrap_or("identity");
        let found = quoted(coding);
        ensure!(coding == "identity", "`Content-Encoding` is {found}, expected none");
        Ok(())
    });
    if let Some(list) = contract.first_list() {
        let title = "a response is gzip-compressed on request";
        group.add("gzip", title, Decision("D-compression"), move |seen| gzip(seen, list));
    }
    group
}

fn head_checks(group: &mut Group, contract: &'static Contract) {
    let source = Rfc("9110, 9.3.2");
    let list = contract.first_list().filter(|list| list.post.is_none());
    group.add("head_status", "HEAD has the status of GET", source, move |seen| {
        let status = seen.probe().response()?.status;
        head(seen).has_status(status)
    });
    if let Some(list) = list {
        group.add("head_of_a_list", "HEAD of a list has the status of GET", source, move |seen| {
            let status = seen.plain(list).response()?.status;
            head_of(seen, list).has_status(status)
        });
    }
    group.add("head_body", "the response to HEAD has no body", source, move |seen| {
        for exchange in [head(seen)].into_iter().chain(list.map(|list| head_of(seen, list))) {
            let length = exchange.response()?.body.len();
            ensure!(length == 0, "the body has {length} bytes, expected none");
        }
        Ok(())
    });
    group.add("head_headers", "HEAD has the media type of GET", source, move |seen| {
        let (head, get) = (head(seen), seen.probe());
        let (head, get) = (head.success()?, get.success()?);
        let is_same = head.media_type() == get.media_type();
        ensure!(
            is_same,
            "the media type of HEAD is {}, that of GET {}",
            head.quoted_type(),
            get.quoted_type()
        );
        Ok(())
    });
}

fn conditional(group: &mut Group) {
    let decision = Decision("D-cache");
    group.add("tag", "responses have a weak `ETag`", decision, |seen| {
        let exchange = seen.probe();
        let tag = exchange.success()?.header("etag").unwrap_or_default();
        let found = if tag.is_empty() { "missing" } else { "strong" };
        ensure!(tag.starts_with("W/\""), "`ETag` is {found}, expected a weak one");
        Ok(())
    });
    let title = "a request whose `If-None-Match` is the current tag is answered with 304";
    group.add("not_modified", title, decision, |seen| not_modified(seen)?.has_status(304));
}

/// Adds a check of the responses to calls without required parameters. It is skipped unless all calls succeed.
fn of_successes(
    group: &mut Group,
    name: &str,
    title: impl Into<Cow<'static, str>>,
    source: Source,
    judge: fn(&Evidence<'_>, &Response) -> Outcome,
) {
    group.add(name, title, source, move |seen| {
        let mut exchanges: Vec<_> = seen.contract.plain().map(|one| seen.plain(one)).collect();
        if exchanges.is_empty() {
            exchanges.push(seen.probe());
        }
        let responses = exchanges.iter().map(|exchange| exchange.success());
        let responses = responses.collect::<Outcome<Vec<_>>>()?;
        responses.into_iter().try_for_each(|response| judge(seen, response))
    });
}

fn gzip(seen: &Evidence<'_>, list: &'static Operation) -> Outcome {
    let header = Some(("accept-encoding", "gzip".to_owned()));
    let exchange = seen.ask(Ask { header, ..Ask::query(&seen.query(list)) });
    let response = exchange.success()?;
    let coding = response.header("content-encoding");
    if coding.is_none() && response.body.len() < ONE_PACKET {
        return skip("the response is too short to compress");
    }
    let found = quoted(coding.unwrap_or_default());
    ensure!(coding == Some("gzip"), "`Content-Encoding` is {found}, expected `gzip`");
    ensure!(response.body.starts_with(b"\x1f\x8b"), "the body is not gzip");
    Ok(())
}

/// Size of a response that fits into one packet, in bytes: compressing it would save nothing.
const ONE_PACKET: usize = 1400;

fn with(seen: &Evidence<'_>, name: &'static str, value: &str) -> Rc<Exchange> {
    seen.ask(Ask { header: Some((name, value.to_owned())), ..seen.probe_ask() })
}

fn head(seen: &Evidence<'_>) -> Rc<Exchange> {
    seen.ask(Ask { is_head: true, ..seen.probe_ask() })
}

fn head_of(seen: &Evidence<'_>, list: &'static Operation) -> Rc<Exchange> {
    seen.ask(Ask { is_head: true, ..Ask::query(&seen.query(list)) })
}

/// Repeats the request with the entity tag of its response. Skips the check if the response has no tag.
fn not_modified(seen: &Evidence<'_>) -> Outcome<Rc<Exchange>> {
    match seen.probe().success()?.header("etag") {
        Some(tag) => Ok(with(seen, "if-none-match", tag)),
        None => skip("the response has no `ETag`"),
    }
}
