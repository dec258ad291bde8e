//! Changes of what a client sends.

use crate::changes::{check, compare, good};

#[test]
fn changes_of_the_dispatch() {
    let two = |dispatch: &str, select: &str, query: &str| {
        let spec = good();
        let spec = spec.replace("selector = \"call\"", dispatch).replace("\"tools/list\"", select);
        spec.replace("call=tools/list", query)
    };
    let one = two("selector = \"call\"", "\"tools/list\"", "call=tools/list");
    compare(&good(), &one, &[]);
    let constant = "selector = \"call\"\nconstants = { format = \"json\" }";
    let constant = two(constant, "\"tools/list\"", "call=tools/list&format=json");
    compare(
        &one,
        &constant,
        &[
            "additive dispatch: constants changed from none to { format = `json` }",
            "documentation example.tools: example changed",
        ],
    );
    let pair = two("selector = [\"call\", \"do\"]", "[\"tools\", \"list\"]", "call=tools&do=list");
    compare(
        &one,
        &pair,
        &[
            "breaking dispatch: selector changed from `call` to `call`, `do`",
            "breaking operation.list_tools: select changed from `tools/list` to `tools`, `list`",
            "documentation example.tools: example changed",
        ],
    );
    let path = two("in = \"path\"", "\"tools/list\"", "").replace("query = \"&", "query = \"");
    compare(
        &one,
        &path,
        &[
            "breaking dispatch: selector changed from `call` to none",
            "breaking dispatch: in changed from `query` to `path`",
            "documentation example.tools: example changed",
        ],
    );
}

#[test]
fn changes_of_the_authentication() {
    let two = good();
    let secret = |place: &str, doc: &str| {
        let secret = format!("secret = {{ in = \"{place}\", name = \"key\", doc = \"{doc}\" }}");
        two.replace("bearer = {}", &secret)
    };
    compare(
        &two,
        &secret("query", "The key."),
        &[
            "breaking auth: bearer changed from {} to none",
            "breaking auth: secret changed from none to { in = `query`, name = `key` }",
            "documentation auth: description changed",
        ],
    );
    compare(
        &secret("query", "The key."),
        &secret("header", "A key."),
        &[
            "breaking auth: secret changed from { in = `query`, name = `key` } to { in = `header`, name = `key` }",
            "documentation auth: description changed",
        ],
    );
    compare(
        &secret("query", "The key."),
        &secret("query", "A key."),
        &["documentation auth: description changed"],
    );
}

#[test]
fn changes_of_the_body() {
    let two = good();
    let post = |keys: &str, query: &str, body: &str| {
        two.replacen("response.list", &format!("verb = \"post\"\n{keys}\nresponse.list"), 1)
            .replacen("&shelf=3&state=free", query, 1)
            .replacen("response = ", &format!("body = '{body}'\nresponse = "), 1)
    };
    let form = post("", "", "shelf=3&state=free");
    let place = "operation.list_tools";
    compare(
        &two,
        &form,
        &[
            &format!("breaking {place}: verb changed from `get` to `post`"),
            "documentation example.tools: example changed",
        ],
    );
    compare(
        &form,
        &post("body = \"json\"", "", r#"{"shelf":3,"state":"free"}"#),
        &[
            &format!("breaking {place}: body changed from `form` to `json`"),
            "documentation example.tools: example changed",
        ],
    );
    compare(
        &form,
        &post("idempotent = true", "", "shelf=3&state=free"),
        &[&format!("additive {place}: idempotent changed from false to true")],
    );
}

#[test]
fn changes_of_list_parameters() {
    let two = good();
    let list = |style: &str, sent: &str| {
        let ty = format!("shelf = {{ type = \"list<integer>\", style = \"{style}\"");
        two.replacen("shelf = { type = \"integer\"", &ty, 1)
            .replacen("shelf = 3", "shelf = [3, 4]", 1)
            .replacen("shelf=3", sent, 1)
    };
    let place = "operation.list_tools.param.shelf";
    compare(
        &two,
        &list("repeat", "shelf=3&shelf=4"),
        &[
            &format!("breaking {place}: type changed from `integer` to `list<integer>`"),
            &format!("breaking {place}: style changed from none to `repeat`"),
            "documentation example.tools: example changed",
        ],
    );
    compare(
        &list("repeat", "shelf=3&shelf=4"),
        &list("pipe", "shelf=3%7C4"),
        &[
            &format!("breaking {place}: style changed from `repeat` to `pipe`"),
            "documentation example.tools: example changed",
        ],
    );
}

#[test]
fn changes_of_parameters() {
    check(
        &[("shelf = { type", "row = { type = \"integer\", doc = \"The row.\" }\nshelf = { type")],
        &["additive operation.list_tools.param.row: added"],
    );
    check(
        &[("needs = [\"shelf\"], ", "")],
        &["breaking operation.list_tools.param.state: needs changed from `shelf` to none"],
    );
    check(
        &[(
            "shelf = { type = \"integer\"",
            "shelf = { type = \"integer\", required = true, min = 1",
        )],
        &[
            "breaking operation.list_tools.param.shelf: required changed from false to true",
            "breaking operation.list_tools.param.shelf: min changed from none to 1",
        ],
    );
}
