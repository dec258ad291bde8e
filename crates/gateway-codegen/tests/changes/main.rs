//! Changes of a spec are classified, and require a version.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot start has failed")]

use std::fs;
use std::path::Path;

use gateway_codegen::cli;
use gateway_codegen::diff::version::Version;
use gateway_codegen::diff::{self};
use gateway_codegen::ir::Service;
use gateway_codegen::spec::read_bytes;

fn here() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

fn good() -> String {
    fs::read_to_string(here().join("good-spec.toml")).expect("it is there")
}

fn read(text: &str) -> Service {
    let reading = read_bytes(text.as_bytes(), here(), "spec.toml");
    reading.service.unwrap_or_else(|| panic!("{}", reading.report))
}

/// Changes the good spec by replacing text, and compares.
#[track_caller]
fn check(replacements: &[(&str, &str)], expected: &[&str]) {
    let mut text = good();
    for (from, to) in replacements {
        assert!(text.contains(from), "the spec has no `{from}`");
        text = text.replacen(from, to, 1);
    }
    compare(&good(), &text, expected);
}

#[track_caller]
fn compare(old: &str, new: &str, expected: &[&str]) {
    let changes: Vec<_> = diff::changes(&read(old), &read(new))
        .iter()
        .map(|change| format!("{} {}: {}", change.class, change.place, change.what))
        .collect();
    assert_eq!(changes, expected);
}

#[test]
fn equal_specs_have_no_changes() {
    check(&[("# ", "# "), ("spec-language", "spec-language")][..0], &[]);
}

#[test]
fn changes_of_envelopes() {
    let spec = |envelope: &str, lenient: &str| {
        let two = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
        let list = format!(
            "{{ of = \"Tool\", at = \"data\", envelope = \"stat\", lenient = [{lenient}] }}"
        );
        two.replacen("{ of = \"Tool\" }", &list, 1)
            .replacen("[dispatch]", &format!("[envelope.stat]\n{envelope}\n[dispatch]"), 1)
            .replacen("fixtures/tools.json", "fixtures/enveloped.json", 1)
    };
    let success = "success = { at = \"ok\", is = [\"yes\"] }\nerror = { code = \"code\" }";
    let classes = format!("{success}\nerror-class = {{ \"1\" = \"auth\" }}");
    let failure = "failure = { present = \"error\" }\nerror = { code = \"code\" }";
    let (old, lenient) = (spec(success, ""), spec(success, "\"one-as-list\""));
    let place = "operation.list_tools";
    let expected = format!("additive {place}: errors in the body changed");
    compare(&old, &spec(&classes, ""), &[&expected]);
    let expected = format!("breaking {place}: marker of success or failure changed");
    compare(&old, &spec(failure, ""), &[&expected]);
    let expected = format!("additive {place}: leniency `one-as-list` changed from false to true");
    compare(&old, &lenient, &[&expected]);
    let expected = format!("breaking {place}: leniency `one-as-list` changed from true to false");
    compare(&lenient, &old, &[&expected]);
}

#[test]
fn changes_of_values() {
    let spec = |response: &str, fixture: &str| {
        let two = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
        two.replacen("response.list = { of = \"Tool\" }", response, 1).replacen(
            "fixtures/tools.json",
            fixture,
            1,
        )
    };
    let list = spec("response.list = { of = \"Tool\" }", "fixtures/tools.json");
    let value = |of: &str| {
        let response = format!("response.value = {{ of = \"{of}\" }}");
        spec(&response, "fixtures/object.json")
    };
    let nothing = spec("response.nothing = {}", "fixtures/tools.json");
    let place = "breaking operation.list_tools: response changed from";
    compare(&list, &nothing, &[&format!("{place} `[Tool]` to `no data`")]);
    compare(&list, &value("map<text>"), &[&format!("{place} `[Tool]` to `map<text>`")]);
    compare(&nothing, &value("map<text>"), &[&format!("{place} `no data` to `map<text>`")]);
}

#[test]
fn changes_of_paging() {
    let spec = |paging: &str| {
        let two = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
        two.replacen(
            "[operation.list_tools.param]",
            &format!("{paging}\n[operation.list_tools.param]"),
            1,
        )
    };
    let (none, page) = (spec(""), spec("paging.page = { param = \"shelf\" }"));
    let (first, offset) = (
        spec("paging.page = { param = \"shelf\", first = 0 }"),
        spec("paging.offset = { param = \"shelf\" }"),
    );
    let place = "operation.list_tools: paging changed";
    compare(&none, &page, &[&format!("additive {place} from none to `page`")]);
    compare(&page, &none, &[&format!("breaking {place} from `page` to none")]);
    compare(&page, &offset, &[&format!("additive {place} from `page` to `offset`")]);
    compare(&page, &first, &[&format!("additive {place}")]);

    let model = "[model.Page]\ndoc = \"A page.\"\nfield.on = { type = \"boolean\", presence = \"optional\", doc = \"On.\" }\n[operation.list_tools]";
    let beside = |more: &str| {
        spec(&format!("paging.page = {{ param = \"shelf\"{more} }}"))
            .replacen("[operation.list_tools]", model, 1)
            .replacen("{ of = \"Tool\" }", "{ of = \"Tool\", at = \"data\", beside = \"Page\" }", 1)
            .replacen("fixtures/tools.json", "fixtures/enveloped.json", 1)
    };
    compare(&beside(""), &beside(", more = \"on\""), &[&format!("additive {place}")]);
}

#[test]
fn changes_of_gauges() {
    let spec = |gauge: &str| {
        let spec = fs::read_to_string(here().join("mirrored/spec.toml")).expect("it is there");
        let declared = "gauge = { value = \"amount\", unit = \"account.currency\" }";
        assert!(spec.contains(declared));
        spec.replacen(declared, gauge, 1).replace("response = \"", "response = \"mirrored/")
    };
    let (none, one) = (spec(""), spec("gauge = { value = \"amount\" }"));
    let both = spec("gauge = { value = \"amount\", unit = \"account.currency\" }");
    let place = "operation.get_balance: gauge changed";
    compare(&none, &one, &[&format!("additive {place} from none to `amount`")]);
    compare(
        &one,
        &both,
        &[&format!("breaking {place} from `amount` to `amount` in `account.currency`")],
    );
    compare(&one, &none, &[&format!("breaking {place} from `amount` to none")]);
}

#[test]
fn changes_of_fields() {
    check(
        &[(
            "name = { type = \"text\"",
            "size = { type = \"integer\", presence = \"optional\", doc = \"The size.\" }\nname = { type = \"text\"",
        )],
        &["additive model.Tool.field.size: added"],
    );
    check(
        &[("name = { type = \"text\", presence = \"optional\", doc = \"The name.\" }\n", "")],
        &["breaking model.Tool.field.name: removed"],
    );
    check(
        &[(
            "name = { type = \"text\", presence = \"optional\"",
            "name = { type = \"text\", personal = true, presence = \"optional\"",
        )],
        &[
            "additive model.Tool.field.name: personal; `Debug` output and logs no longer show its values",
        ],
    );
    check(
        &[(
            "name = { type = \"text\", presence = \"optional\", doc = \"The name.\"",
            "name = { type = \"State\", rust-name = \"label\", presence = \"optional\", doc = \"The label.\"",
        )],
        &[
            "breaking model.Tool.field.name: rust name changed from `name` to `label`",
            "breaking model.Tool.field.name: type changed from `text` to `State`",
            "documentation model.Tool.field.name: description changed",
        ],
    );
}

/// Data that was protected until now must not appear in logs unnoticed.
#[test]
fn a_field_that_is_no_longer_personal_is_a_warning() {
    let personal = good().replacen("name = { ", "name = { personal = true, ", 1);
    let scratch = workspace();
    let root = scratch.path();
    fs::write(root.join("spec/released/1.0.0.toml"), personal).expect("written");
    let raised = good().replace("version = \"1.0.0\"", "version = \"1.1.0\"");
    fs::write(root.join("spec/gateway.toml"), raised).expect("written");
    let outcome = diff_in(root);
    let change = "model.Tool.field.name: no longer personal; its values will appear in `Debug` output and logs\n";
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.contains(&format!("additive       {change}")), "{}", outcome.stdout);
    assert_eq!(outcome.stderr, format!("\nwarning: {change}"));
}

#[test]
fn changes_of_the_dispatch() {
    let two = |dispatch: &str, select: &str, query: &str| {
        let spec = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
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
            "additive dispatch: constants changed from none to `format=json`",
            "documentation example.tools: example changed",
        ],
    );
    let pair = two("selector = [\"call\", \"do\"]", "[\"tools\", \"list\"]", "call=tools&do=list");
    compare(
        &one,
        &pair,
        &[
            "breaking dispatch: selector changed from `call` to `call`, `do`",
            "documentation example.tools: example changed",
        ],
    );
    let path = two("in = \"path\"", "\"tools/list\"", "").replace("query = \"&", "query = \"");
    compare(
        &one,
        &path,
        &[
            "breaking dispatch: place changed from `query` to `path`",
            "breaking dispatch: selector changed from `call` to none",
            "documentation example.tools: example changed",
        ],
    );
}

#[test]
fn changes_of_lists_and_maps() {
    let newer = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
    let newer = newer.replace("fixtures/tools.json", "fixtures/only-id.json");
    let with = |ty: &str| {
        let field = format!("name = {{ type = \"{ty}\"");
        newer.replacen("name = { type = \"text\"", &field, 1)
    };
    for (old, new) in
        [("text", "list<text>"), ("list<text>", "list<State>"), ("list<list<text>>", "map<text>")]
    {
        let change =
            format!("breaking model.Tool.field.name: type changed from `{old}` to `{new}`");
        compare(&with(old), &with(new), &[&change]);
    }
}

#[test]
fn changes_of_the_forms_of_values() {
    let newer = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
    let newer = newer.replace("fixtures/tools.json", "fixtures/only-id.json");
    let with = |field: &str, scalar: &str| {
        let scalar =
            format!("[scalar.Flag]\n{scalar}\nexample = \"1\"\ndoc = \"A flag.\"\n\n[enum.State]");
        let flag = "flag = { type = \"Flag\", presence = \"optional\", doc = \"A flag.\" }";
        let name = format!("{flag}\nname = {{ {field}");
        newer.replacen("name = { type = \"text\"", &name, 1).replacen("[enum.State]", &scalar, 1)
    };
    let text = "type = \"text\"";
    let id = |wire: &str| with(text, &format!("wire = \"{wire}\"\nmeaning = \"id\""));
    for (class, old, new) in [
        ("additive", "integer", "integer-or-text"),
        ("breaking", "integer-or-text", "integer"),
        ("additive", "string", "text-or-number"),
        ("breaking", "text-or-number", "string"),
    ] {
        let change = format!("{class} scalar.Flag: wire changed from `{old}` to `{new}`");
        compare(&id(old), &id(new), &[&change]);
    }
    let codes = |yes: &str| {
        let wire = "wire = \"codes\"\nmeaning = \"boolean\"\nfalse = [0]";
        with(text, &format!("{wire}\ntrue = {yes}"))
    };
    for (class, old, new) in [
        ("additive", "[1]", "[1, \"Y\"]"),
        ("breaking", "[1, \"Y\"]", "[1]"),
        ("breaking", "[1, \"Y\"]", "[\"Y\", 1]"),
    ] {
        let shown = |codes: &str| {
            let codes = codes.trim_matches(['[', ']']).split(", ");
            codes.map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ")
        };
        let (was, is) = (shown(old), shown(new));
        let change = format!("{class} scalar.Flag: true changed from {was} to {is}");
        compare(&codes(old), &codes(new), &[&change]);
    }
    let lenient = |word: &str| {
        let field = format!("type = \"list<text>\", lenient = [{word}]");
        with(&field, "wire = \"integer\"\nmeaning = \"id\"")
    };
    for (added, word) in [("additive", "one-as-list"), ("breaking", "absent-as-empty")] {
        let change = |class: &str, from: bool, to: bool| {
            let place = "model.Tool.field.name";
            format!("{class} {place}: leniency `{word}` changed from {from} to {to}")
        };
        let quoted = format!("\"{word}\"");
        compare(&lenient(""), &lenient(&quoted), &[&change(added, false, true)]);
        compare(&lenient(&quoted), &lenient(""), &[&change("breaking", true, false)]);
    }
}

#[test]
fn changes_of_the_authentication() {
    let two = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
    let secret = |place: &str, doc: &str| {
        let secret = format!("secret = {{ in = \"{place}\", name = \"key\", doc = \"{doc}\" }}");
        two.replace("bearer = {}", &secret)
    };
    compare(
        &two,
        &secret("query", "The key."),
        &["breaking auth: kind changed from a bearer token to the secret `key` in the query"],
    );
    compare(
        &secret("query", "The key."),
        &secret("header", "A key."),
        &[
            "breaking auth: kind changed from the secret `key` in the query to the secret `key` in the header",
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
    let two = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
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
            &format!("breaking {place}: body of a POST changed from `none` to `form`"),
            "documentation example.tools: example changed",
        ],
    );
    compare(
        &form,
        &post("body = \"json\"", "", r#"{"shelf":3,"state":"free"}"#),
        &[
            &format!("breaking {place}: body of a POST changed from `form` to `json`"),
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
    let two = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
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
fn changes_of_defaults() {
    let two = fs::read_to_string(here().join("good-spec-2.toml")).expect("it is there");
    let with = |value: &str| {
        let ty = format!("shelf = {{ type = \"integer\", default = {value}");
        two.replacen("shelf = { type = \"integer\"", &ty, 1)
    };
    let place = "operation.list_tools.param.shelf";
    let added = format!("additive {place}: default changed from none to `7`");
    compare(&two, &with("7"), &[&added]);
    let changed = format!("additive {place}: default changed from `7` to `8`");
    compare(&with("7"), &with("8"), &[&changed]);
}

#[test]
fn changes_of_columns() {
    let identity = "identity = \"id\"\n";
    let columns = |columns: &str| format!("{identity}columns = [{columns}]\n");
    // The columns that the fields give by default.
    check(&[(identity, &columns(r#""id", "name", "state""#))], &[]);
    check(
        &[(identity, &columns(r#""name", "id""#))],
        &["breaking model.Tool: columns changed from `id`, `name`, `state` to `name`, `id`"],
    );
    compare(
        &good().replacen(identity, &columns(r#""id""#), 1),
        &good().replacen(identity, &columns(r#""id", "name""#), 1),
        &["additive model.Tool: columns changed from `id` to `id`, `name`"],
    );
}

#[test]
fn changes_of_recovered_attributes() {
    let recovers = |name: &str| {
        let shelf = "shelf = { type = \"integer\"";
        good().replacen(shelf, &format!("{shelf}, recovers = \"{name}\""), 1)
    };
    let place = "operation.list_tools.param.shelf";
    compare(
        &good(),
        &recovers("shelf"),
        &[&format!("additive {place}: recovered attribute changed from none to `shelf`")],
    );
    compare(
        &recovers("shelf"),
        &recovers("place"),
        &[&format!("breaking {place}: recovered attribute changed from `shelf` to `place`")],
    );
}

#[test]
fn changes_of_enum_values() {
    let more = ("value.Lent", "value.Lost = { wire = \"lost\", doc = \"Gone.\" }\nvalue.Lent");
    check(&[more], &["additive enum.State.value.Lost: added"]);
    check(
        &[("open-ended = true", "open-ended = false"), more],
        &[
            "breaking enum.State: open-ended changed from true to false",
            "additive enum.State.value.Lost: added",
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
        &[("needs = [\"shelf\"], otherwise = \"error\", ", "")],
        &[
            "breaking operation.list_tools: parameters in the type of the query changed from `shelf` to none",
            "additive operation.list_tools.param.state: needs changed from `shelf` to none",
        ],
    );
    check(
        &[(
            "shelf = { type = \"integer\"",
            "shelf = { type = \"integer\", required = true, min = 1",
        )],
        &[
            "breaking operation.list_tools.param.shelf: required changed from false to true",
            "breaking operation.list_tools.param.shelf: min changed from none to 1",
            "breaking operation.list_tools: parameters in the type of the query changed from `shelf` to none",
        ],
    );
}

/// The type of a query has a type parameter for each parameter that another one needs.
#[test]
fn a_new_type_parameter_of_the_query_is_breaking() {
    let row = "row = { type = \"integer\", doc = \"The row.\" }\n";
    let box_ = "box = { type = \"text\", doc = \"The box.\" }\n";
    let needing = box_.replace("\"text\"", "\"text\", needs = [\"row\"], otherwise = \"error\"");
    let cases = |params: &str| declaring(FIELD, VALUE, params, QUERY);
    let place = "operation.list_cases";
    let states =
        format!("breaking {place}: parameters in the type of the query changed from none to `row`");
    let added = |name: &str| format!("additive {place}.param.{name}: added");
    compare(&cases(""), &cases(row), &[&added("row")]);
    compare(&cases(row), &cases(&format!("{row}{box_}")), &[&added("box")]);
    compare(&cases(row), &cases(&format!("{row}{needing}")), &[&states, &added("box")]);
    // A second parameter that needs the same one does not change the type.
    let second = needing.replacen("box", "lid", 1);
    compare(
        &cases(&format!("{row}{needing}")),
        &cases(&format!("{row}{needing}{second}")),
        &[&added("lid")],
    );
}

/// Returns the good spec with additional declarations that contain these lines.
fn declaring(fields: &str, values: &str, params: &str, example: &str) -> String {
    format!(
        r#"{}
[model.Case]
doc = "A case."
[model.Case.field]
{fields}
[enum.Heat]
open-ended = true
doc = "How hot it is."
[enum.Heat.value]
{values}
[operation.list_cases]
select = "cases/list"
doc = "Lists cases."
response.array = {{ of = "Tool" }}
[operation.list_cases.param]
{params}
[[example]]
name = "cases"
operation = "list_cases"
doc = "Cases."
response = "bad-specs/fixtures/tools.json"
{example}
"#,
        good()
    )
}

/// Compares specs that differ in the order of two lines.
#[track_caller]
fn check_order([first, second]: [&str; 2], write: impl Fn(&str) -> String, expected: &[&str]) {
    let (one, other) = (format!("{first}\n{second}"), format!("{second}\n{first}"));
    compare(&write(&one), &write(&other), expected);
}

/// The arguments of a constructor and the comparison of values follow the order of the spec.
#[test]
fn a_new_order_breaks_constructors_and_comparisons() {
    for (presence, class) in [("required", "breaking"), ("optional", "additive")] {
        let field =
            |name| format!(r#"{name} = {{ type = "text", presence = "{presence}", doc = "D." }}"#);
        let moved = format!("{class} model.Case.field: order changed from `a`, `b` to `b`, `a`");
        let write = |fields: &str| declaring(fields, VALUE, "", QUERY);
        check_order([&field("a"), &field("b")], write, &[&moved]);
    }
    check_order(
        [VALUE, r#"Cold = { wire = "cold", doc = "Cold." }"#],
        |values| declaring(FIELD, values, "", QUERY),
        &["breaking enum.Heat.value: order changed from `Hot`, `Cold` to `Cold`, `Hot`"],
    );
    let param = |name| format!(r#"{name} = {{ type = "integer", doc = "A number." }}"#);
    check_order(
        [&param("a"), &param("b")],
        |params| declaring(FIELD, VALUE, params, QUERY),
        &["additive operation.list_cases.param: order changed from `a`, `b` to `b`, `a`"],
    );
    let param = |name| format!(r#"{name} = {{ type = "integer", required = true, doc = "D." }}"#);
    check_order(
        [&param("a"), &param("b")],
        |params| {
            let query = if params.starts_with('a') { "a=1&b=1" } else { "b=1&a=1" };
            let example =
                format!("params = {{ a = 1, b = 1 }}\nquery = \"call=cases/list&{query}\"");
            declaring(FIELD, VALUE, params, &example)
        },
        &[
            "breaking operation.list_cases.param: order changed from `a`, `b` to `b`, `a`",
            "documentation example.cases: example changed",
        ],
    );
}

/// An example names its operation, so the order of the operations does not change it.
#[test]
fn a_new_order_of_operations_changes_no_example() {
    let text = declaring(FIELD, VALUE, "", QUERY);
    let (before, rest) = text.split_once("[operation.list_tools]").expect("the first operation");
    let (first, rest) = rest.split_once("[[example]]").expect("its example");
    let (between, second) = rest.split_once("[operation.list_cases]").expect("the other one");
    let moved = format!(
        "{before}[[example]]{between}[operation.list_cases]{second}[operation.list_tools]{first}"
    );
    compare(
        &text,
        &moved,
        &[
            "documentation operation: order changed from `list_tools`, `list_cases` to `list_cases`, `list_tools`",
        ],
    );
}

/// Names are printed as in the spec, although Rust reserves some of them.
#[test]
fn reserved_names_are_printed_as_in_the_spec() {
    let rejected = "Rejected = { wire = \"rejected\", doc = \"Rejected.\" }";
    compare(
        &declaring(FIELD, VALUE, "", QUERY),
        &declaring(FIELD, &format!("{VALUE}\n{rejected}"), "", QUERY)
            .replace("[model.Case]", "[model.Option]")
            .replace("[model.Case.field]", "[model.Option.field]")
            .replace("a = { type = \"text\"", "a = { type = \"Option\""),
        &[
            "breaking model.Case: removed",
            "additive enum.Heat.value.Rejected: added",
            "additive model.Option: added",
        ],
    );
}

/// An insertion between two declarations is not a new order.
#[test]
fn an_addition_moves_nothing() {
    let lost = "value.Lost = { wire = \"lost\", doc = \"Gone.\" }\nvalue.Lent";
    check(&[("value.Lent", lost)], &["additive enum.State.value.Lost: added"]);
}

#[test]
fn changes_of_the_service_and_of_open_points() {
    check(
        &[
            ("path = \"/api/v2\"", "path = \"/api/v3\""),
            ("server = \"Never.\"", "server = \"Sometimes.\""),
        ],
        &[
            "breaking service: path changed from `/api/v2` to `/api/v3`",
            "additive open-point.Q-id: behaviour of the server changed; check whether users rely on the old one",
        ],
    );
}

/// Creates a workspace without a spec.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("spec/released")).expect("a folder");
    fs::write(folder.path().join("spec/codegen.toml"), "spec = 'spec/gateway.toml'")
        .expect("written");
    folder
}

/// Compares the spec of a workspace with its last release.
fn diff_in(root: &Path) -> cli::Outcome {
    cli::run("cargo xtask", &["spec".to_owned(), "diff".to_owned()], root)
}

/// A diff fails until the version is high enough.
#[test]
fn a_breaking_change_requires_a_major_version() {
    let scratch = workspace();
    let root = scratch.path();
    fs::write(root.join("spec/released/1.0.0.toml"), good()).expect("written");
    fs::write(root.join("spec/released/0.9.10.toml"), "not the last").expect("written");
    let diff = || diff_in(root);

    let broken = good().replace("path = \"/api/v2\"", "path = \"/api/v3\"");
    fs::write(root.join("spec/gateway.toml"), &broken).expect("written");
    let outcome = diff();
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (1, "\nerror: raise `version` in spec/gateway.toml to 2.0.0\n")
    );

    let raised = broken.replace("version = \"1.0.0\"", "version = \"2.0.0\"");
    fs::write(root.join("spec/gateway.toml"), raised).expect("written");
    assert_eq!(diff().code, 0);
    assert!(Version::parse("2.0.0") > Version::parse("1.10.0"));
}

const FIELD: &str = r#"a = { type = "text", presence = "optional", doc = "A." }"#;
const VALUE: &str = r#"Hot = { wire = "hot", doc = "Hot." }"#;
const QUERY: &str = r#"query = "call=cases/list""#;
