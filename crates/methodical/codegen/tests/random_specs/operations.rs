//! Random operations, with an example of each.

use std::fmt::Write as _;

use crate::drawn::paper::{Paper, quoted};
use crate::drawn::requests::{Requests, Verb};
use crate::drawn::responses::{self, ONWARD, Response};
use crate::drawn::types::{KEYWORDS, Ty, Types};

/// Writes the operations, and returns the responses of their examples. `in_all` says whether the service has an envelope.
pub(crate) fn operations(
    paper: &mut Paper,
    requests: &Requests,
    types: &Types,
    in_all: bool,
) -> Vec<(String, String)> {
    paper.line(ONWARD);
    let count = 1 + paper.dice.below(4);
    let mut may_have_gauge = true;
    let operations =
        (0..count).map(|at| operation(paper, requests, types, at, in_all, &mut may_have_gauge));
    operations.collect()
}

fn operation(
    paper: &mut Paper,
    requests: &Requests,
    types: &Types,
    at: usize,
    in_all: bool,
    may_have_gauge: &mut bool,
) -> (String, String) {
    let (verb, keys) = requests.verb(paper);
    let response = responses::response(paper, types, at, in_all);
    let Response { key, table, is_list, object, paging, body, rejected } = response;
    let (doc, about) = (paper.doc(), paper.about_deprecated().join("\n"));
    paper.line(format_args!(
        "[operation.ask_{at}]\nselect = {}\ndoc = {doc}\n{about}\nresponse.{key} = {{ {} }}\n{keys}",
        requests.select(at),
        table.join(", "),
    ));
    if let Some(paging) = paging {
        paper.line(format_args!("paging.{paging}"));
    }
    paper.line(format_args!("[operation.ask_{at}.param]"));
    let required = params(paper, types, verb, is_list);
    if paging.is_some() {
        paper.line(
            "at = { type = \"integer\", doc = \"A position.\" }\n\
             size = { type = \"integer\", doc = \"A size.\" }\n\
             cursor = { type = \"text\", doc = \"A cursor.\" }",
        );
    }

    let gauge = object.filter(|_| *may_have_gauge && required.is_empty());
    if let Some((value, unit)) = gauge.and_then(|model| types.amount(&model)) {
        // A second one would have the same commands.
        *may_have_gauge = false;
        paper.line(format_args!("[operation.ask_{at}.gauge]\nvalue = {}", quoted(value)));
        if let Some(unit) = unit {
            paper.line(format_args!("unit = {}", quoted(unit)));
        }
    }

    let doc = paper.doc();
    let given: Vec<_> = required.iter().map(|name| format!("{name} = \"x\"")).collect();
    paper.line(format_args!(
        "[[example]]\nname = \"e{at}\"\noperation = \"ask_{at}\"\ndoc = {doc}\n\
         params = {{ {} }}\nresponse = \"{at}.json\"\n{}",
        given.join(", "),
        requests.example(at, verb, &required),
    ));
    if rejected {
        paper.line("rejected = [0]");
    }
    if paper.dice.chance(30) {
        let sides = ["[\"client\"]", "[\"server\"]", "[\"server\", \"client\"]"];
        let sides = paper.dice.of(&sides);
        paper.line(format_args!("applies-to = {sides}"));
    }
    (format!("{at}.json"), body.to_string())
}

/// Writes parameters, and returns the names of those that are required.
fn params(paper: &mut Paper, types: &Types, verb: Verb, is_list: bool) -> Vec<&'static str> {
    let mut required = Vec::new();
    let mut before = None;
    for name in KEYWORDS.iter().take(paper.dice.below(6)) {
        let is_required = paper.dice.chance(15);
        let ty = if is_required { Ty::BuiltIn("text") } else { types.value(paper) };
        let values = is_required.then_some(false);
        let values = values.unwrap_or_else(|| paper.dice.chance(30));
        let mut text = types.name(&ty);
        let mut keys = String::new();
        if values {
            text = format!("list<{text}>");
            if verb != Verb::Json {
                let style = paper.dice.of(&["comma", "pipe", "repeat", "bracket", "index"]);
                _ = write!(keys, "style = \"{style}\", ");
            }
        }
        let mut has_limit = false;
        match ty {
            Ty::BuiltIn("text") if paper.dice.chance(30) => keys += "max-chars = 20, ",
            Ty::BuiltIn("integer") if paper.dice.chance(40) => {
                has_limit = true;
                let limits = ["min = -3, ", "max = 9, ", "min = -3, max = 9, "];
                keys += paper.dice.of(&limits);
            }
            _ => {}
        }
        if is_required {
            keys += "required = true, ";
            required.push(*name);
        } else if let Some(before) = before
            && paper.dice.chance(30)
        {
            let otherwise = paper.dice.of(&["error", "no-effect"]);
            _ = write!(keys, "needs = [\"{before}\"], otherwise = \"{otherwise}\", ");
        }
        let default = match ty {
            Ty::BuiltIn("text") => Some("\"`x`\""),
            Ty::BuiltIn("integer") => Some(if has_limit { "5" } else { "-50" }),
            Ty::BuiltIn("float") => Some("-1.5"),
            Ty::BuiltIn(_) => Some("true"),
            _ => None,
        };
        if let Some(default) = default
            && !values
            && !is_required
            && paper.dice.chance(40)
        {
            _ = write!(keys, "default = {default}, ");
        }
        if is_list && !values && paper.dice.chance(20) {
            _ = write!(keys, "recovers = \"seen_{name}\", ");
        }
        if paper.dice.chance(20) {
            _ = write!(keys, "rust-name = \"renamed_{name}\", ");
        }
        before = Some(*name);
        let about: String = paper.about_deprecated().into_iter().map(|key| key + ", ").collect();
        let doc = paper.doc();
        paper.line(format_args!("{name} = {{ type = \"{text}\", {keys}{about}doc = {doc} }}"));
    }
    required
}
