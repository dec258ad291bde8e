//! Random responses: where the data of a body is, how the body reports a failure, and one body of each.

use serde_json::{Value, json};

use crate::drawn::paper::{Paper, quoted};
use crate::drawn::types::Types;

/// A random response.
pub(crate) struct Response {
    /// The key of the shape, and the keys of its table.
    pub(crate) key: &'static str,
    pub(crate) table: Vec<String>,
    pub(crate) is_list: bool,
    /// The model of the response, if it is an object.
    pub(crate) object: Option<String>,
    /// How the pages of the list follow each other.
    pub(crate) paging: Option<&'static str>,
    /// A body of a successful response.
    pub(crate) body: Value,
    /// Whether its first record is not valid.
    pub(crate) rejected: bool,
}

/// Draws a response, and writes its envelope. `in_all` says whether the service has an envelope.
pub(crate) fn response(paper: &mut Paper, types: &Types, at: usize, in_all: bool) -> Response {
    let key = paper.dice.of(&["list", "list", "list", "list", "object", "value", "nothing"]);
    let is_list = key == "list";
    let (of, record) = if key == "value" {
        types.a_value(paper)
    } else {
        let (of, record) = types.a_model(paper);
        (of.to_owned(), record)
    };
    let path: Vec<_> = (0..paper.dice.below(4)).map(|_| paper.key()).collect();
    let (mut table, path) = match key {
        "nothing" => (Vec::new(), Vec::new()),
        _ => (vec![format!("of = \"{of}\"")], path),
    };
    if !path.is_empty() {
        table.push(format!("at = {}", dotted(&path)));
    }

    let mut markers = Vec::new();
    let has_envelope = match paper.dice.below(3) {
        0 if in_all => {
            if paper.dice.chance(50) {
                table.push("envelope = \"none\"".to_owned());
                false
            } else {
                true
            }
        }
        0 => false,
        _ => {
            table.push(format!("envelope = \"e{at}\""));
            markers.extend(envelope(paper, at, matches!(key, "list" | "value"), &path));
            true
        }
    };

    let rejected = is_list && paper.dice.chance(20);
    let mut data = match is_list {
        true if rejected => json!([7]),
        true if paper.dice.chance(50) => json!([]),
        true => json!([record]),
        false if key == "nothing" => json!({}),
        false => record.clone(),
    };
    let mut is_absent = false;
    let mut lenient = Vec::new();
    if is_list && !(path.is_empty() && has_envelope) && paper.dice.chance(40) {
        lenient.push("\"one-as-list\"");
        if !rejected && paper.dice.chance(50) {
            data = record;
        }
    }
    if is_list && !path.is_empty() && paper.dice.chance(40) {
        lenient.push("\"absent-as-empty\"");
        is_absent = !rejected && paper.dice.chance(50);
    }
    if !lenient.is_empty() {
        table.push(format!("lenient = [{}]", lenient.join(", ")));
    }

    let mut body = json!({});
    let mut paging = None;
    if is_absent {
        // The objects around the list are there, because they have the fields beside it.
        for depth in 1..path.len() {
            put(&mut body, &path[..depth], json!({}));
        }
    } else {
        put(&mut body, &path, data);
    }
    if is_list && !path.is_empty() && paper.dice.chance(60) {
        let (beside, fields) = if paper.dice.chance(60) {
            paging = paper.dice.of(PAGING);
            ("Onward", json!({}))
        } else {
            types.a_model(paper)
        };
        table.push(format!("beside = \"{beside}\""));
        let mut place = &path[..path.len() - 1];
        if paper.dice.chance(50) {
            place = &place[..paper.dice.below(path.len())];
            let text = if place.is_empty() { "\"$\"".to_owned() } else { dotted(place) };
            table.push(format!("beside-at = {text}"));
        }
        for (key, value) in fields.as_object().unwrap() {
            put(&mut body, &[place, std::slice::from_ref(key)].concat(), value.clone());
        }
    } else if is_list && paper.dice.chance(40) {
        paging = paper.dice.of(PAGING_WITHOUT_FIELDS);
    }
    for (path, value) in markers {
        put(&mut body, &path, value);
    }
    let object = (key == "object").then_some(of);
    Response { key, table, is_list, object, paging, body, rejected }
}

/// Writes an envelope, and returns the place and a value of its marker of success, if it has one. `is_alone` says whether
/// data that is the whole body has no place for a marker.
fn envelope(
    paper: &mut Paper,
    at: usize,
    is_alone: bool,
    path: &[String],
) -> Option<(Vec<String>, Value)> {
    // The marker is in the object with the data, or in the whole body.
    let above = path.len().saturating_sub(1);
    let above = if paper.dice.chance(30) { &path[..above] } else { &[] };
    let mut place = above.to_vec();
    place.extend((0..=paper.dice.below(2)).map(|_| paper.key()));
    let is_success = (!is_alone || !path.is_empty()) && paper.dice.chance(60);
    paper.line(format_args!("[envelope.e{at}]"));
    let mut found = None;
    if is_success {
        let (text, value) = match paper.dice.below(4) {
            0 => ("true".to_owned(), json!(true)),
            1 => ("1".to_owned(), json!(1)),
            2 => ("200".to_owned(), json!("200")),
            _ => {
                let text = paper.wire();
                (text.clone(), json!(text))
            }
        };
        let other = if paper.dice.chance(40) { ", \"also\"" } else { "" };
        paper.line(format_args!(
            "success = {{ at = {}, is = [{}{other}] }}",
            dotted(&place),
            quoted(&text),
        ));
        found = Some((place, value));
    } else {
        paper.line(format_args!("failure = {{ present = {} }}", dotted(&place)));
    }
    errors(paper);
    found
}

/// Writes where an envelope has codes and messages, and what they mean.
fn errors(paper: &mut Paper) {
    let [code, message, listed] = [paper.key(), paper.key(), paper.wire()].map(|key| quoted(&key));
    let (has_code, has_message) =
        paper.dice.of(&[(true, true), (true, true), (true, false), (false, true), (false, false)]);
    let mut keys = Vec::new();
    if paper.dice.chance(50) {
        keys.push(format!("at = {}", dotted(&[paper.key(), paper.key()])));
    }
    if has_code {
        keys.push(format!("code = {code}"));
    }
    if has_message {
        keys.push(format!("message = {message}"));
    }
    if !has_code && !has_message {
        return;
    }
    paper.line(format_args!("error = {{ {} }}", keys.join(", ")));
    if paper.dice.chance(60) {
        let other = paper.dice.of(&["auth", "unavailable", "other"]);
        paper.line(format_args!(
            "error-class = {{ {listed} = \"{other}\", \"29\" = \"rate-limit\", \"Max*\" = \"unavailable\" }}"
        ));
    }
    let mut empty = Vec::new();
    if has_code && paper.dice.chance(40) {
        empty.push(format!("code = [{listed}, \"12\"]"));
    }
    if has_message && paper.dice.chance(40) {
        empty.push(format!("message = [{listed}]"));
    }
    if !empty.is_empty() {
        paper.line(format_args!("empty = {{ {} }}", empty.join(", ")));
    }
}

/// Returns a path in quotes.
fn dotted(path: &[String]) -> String {
    quoted(&path.join("."))
}

/// Puts a value at a path, in objects that are created where they are missing.
fn put(body: &mut Value, path: &[String], value: Value) {
    let mut place = body;
    for key in path {
        place = place.as_object_mut().unwrap().entry(key).or_insert_with(|| json!({}));
    }
    *place = value;
}

/// How the pages of a list follow each other, with the fields of [`ONWARD`] beside it.
const PAGING: &[Option<&str>] = &[
    None,
    Some("page = { param = \"at\", size = \"size\", last = \"last\" }"),
    Some("page = { param = \"at\", total = \"count.total\" }"),
    Some("offset = { param = \"at\", size = \"size\", total = \"last\" }"),
    Some("offset = { param = \"at\", next = \"next\", size = \"size\", short-page-ends = true }"),
    Some("cursor = { param = \"cursor\", size = \"size\", next = \"count.total\" }"),
    Some("cursor = { param = \"cursor\", next = \"count.total\", more = \"goes_on\" }"),
    Some("page = { param = \"at\", more = \"goes_on\" }"),
    Some("offset = { param = \"at\", next = \"count.total\", more = \"goes_on\" }"),
];

/// How they follow each other without such fields.
const PAGING_WITHOUT_FIELDS: &[Option<&str>] = &[
    Some("page = { param = \"at\", first = 0 }"),
    Some("page = { param = \"at\", size = \"size\", short-page-ends = true }"),
    Some("offset = { param = \"at\" }"),
];

/// The fields beside a page.
pub(crate) const ONWARD: &str = r#"[model.Onward]
doc = "Fields beside a page."
[model.Onward.field]
last = { type = "integer", presence = "optional", doc = "A number." }
next = { type = "integer", presence = "optional", doc = "An offset." }
more = { type = "map<text>", presence = "optional", doc = "Parameters." }
count = { type = "Count", presence = "optional", doc = "A count." }
goes_on = { type = "boolean", presence = "optional", doc = "Whether a page follows." }
[model.Count]
doc = "A count."
field.total = { type = "text", presence = "optional", doc = "A total." }"#;
