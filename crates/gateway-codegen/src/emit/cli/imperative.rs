//! Help texts of commands in the imperative: "List" for "Lists".

use crate::ir::Operation;

/// Returns the description of an operation in the imperative.
///
/// Only verbs are changed, because a description may begin with a noun: verbs that are common in
/// descriptions, and words from the name of the operation.
pub(super) fn imperative(operation: &Operation) -> String {
    let name = operation.rust.words();
    let is_verb = |verb: &String| {
        let verb = verb.to_lowercase();
        VERBS.contains(&verb.as_str()) || name.split('_').any(|word| word == verb)
    };
    let verb = |word: &str| bare(word).into_iter().find(is_verb);
    let mut words: Vec<_> = operation.doc.0.split(' ').map(str::to_owned).collect();
    let Some(first) = words.first_mut() else { return String::new() };
    let Some(changed) = verb(first) else { return operation.doc.0.clone() };
    *first = changed;
    // "Finds and returns" has a second verb.
    if words.get(1).is_some_and(|word| word == "and")
        && let Some(second) = words.get_mut(2)
        && let Some(changed) = verb(second)
    {
        *second = changed;
    }
    words.join(" ")
}

/// Returns the words of which a word could be the third person.
fn bare(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(word.strip_suffix("ies").map(|stem| format!("{stem}y")));
    found.extend(word.strip_suffix("es").map(str::to_owned));
    found.extend(word.strip_suffix('s').map(str::to_owned));
    found
}

/// Verbs with which a description may begin.
const VERBS: &[&str] = &[
    "ask",
    "browse",
    "calculate",
    "check",
    "compare",
    "compute",
    "count",
    "describe",
    "download",
    "estimate",
    "export",
    "fetch",
    "filter",
    "find",
    "get",
    "give",
    "identify",
    "inspect",
    "list",
    "load",
    "locate",
    "look",
    "match",
    "obtain",
    "preview",
    "print",
    "provide",
    "query",
    "quote",
    "read",
    "receive",
    "report",
    "request",
    "resolve",
    "retrieve",
    "return",
    "search",
    "select",
    "send",
    "show",
    "stream",
    "suggest",
    "sum",
    "summarise",
    "summarize",
    "tell",
    "test",
    "translate",
    "validate",
    "verify",
    "view",
];

#[cfg(test)]
mod tests {
    use super::imperative;
    use crate::ir::{Doc, ModelId, Operation, Response, RustName, Source};

    #[track_caller]
    fn check(name: &str, doc: &str, expected: &str) {
        let operation = Operation {
            rust: RustName::new(name).expect("a name"),
            select: name.to_owned(),
            params: Vec::new(),
            post: None,
            response: Response::Object { of: ModelId::new(0) },
            paging: None,
            gauge: None,
            doc: Doc(doc.to_owned()),
            source: Source::default(),
            open: Vec::new(),
            deprecated: None,
        };
        assert_eq!(imperative(&operation), expected);
    }

    #[test]
    fn help_is_in_the_imperative() {
        check("a", "Lists all albums: titles.", "List all albums: titles.");
        check("a", "Searches photos.", "Search photos.");
        check("a", "Fetches and verifies them.", "Fetch and verify them.");
        check("a", "Queries the index.", "Query the index.");
        check("a", "Browses the shelves.", "Browse the shelves.");
    }

    #[test]
    fn the_name_of_an_operation_shows_its_verb() {
        check("lend_tools", "Lends tools to neighbours.", "Lend tools to neighbours.");
        check("passing", "Passes.", "Passes.");
    }

    #[test]
    fn a_noun_is_not_changed() {
        check("list_photos", "Photos.", "Photos.");
        check("get_account", "Readers of the account.", "Readers of the account.");
        check("a", "", "");
    }
}
