//! Changes of what the service sends.

use crate::changes::{check, compare, good, mirrored};

#[test]
fn changes_of_envelopes() {
    let spec = |envelope: &str, lenient: &str| {
        let two = good();
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
    let expected = "additive envelope.stat: error-class changed from none to { 1 = `auth` }";
    compare(&old, &spec(&classes, ""), &[expected]);
    compare(
        &old,
        &spec(failure, ""),
        &[
            "breaking envelope.stat: success changed from { at = `ok`, is = `yes` } to none",
            "breaking envelope.stat: failure changed from none to { present = `error` }",
        ],
    );
    let expected = format!("additive {place}: lenient changed from none to `one-as-list`");
    compare(&old, &lenient, &[&expected]);
    let expected = format!("breaking {place}: lenient changed from `one-as-list` to none");
    compare(&lenient, &old, &[&expected]);
}

#[test]
fn changes_of_values() {
    let spec = |response: &str, fixture: &str| {
        let two = good();
        two.replacen("response.list = { of = \"Tool\" }", response, 1).replacen(
            "fixtures/tools.json",
            fixture,
            1,
        )
    };
    let list = spec("response.list = { of = \"Tool\" }", "fixtures/tools.json");
    let value = |of: &str| {
        let response = format!("response.value = {{ of = \"{of}\" }}");
        spec(&response, "fixtures/tools.json")
    };
    let nothing = spec("response.nothing = {}", "fixtures/tools.json");
    let place = "breaking operation.list_tools: response changed from";
    compare(
        &list,
        &nothing,
        &[&format!("{place} {{ list = {{ of = `Tool` }} }} to {{ nothing = {{}} }}")],
    );
    compare(
        &list,
        &value("map<text>"),
        &[&format!(
            "{place} {{ list = {{ of = `Tool` }} }} to {{ value = {{ of = `map<text>` }} }}"
        )],
    );
    compare(
        &nothing,
        &value("map<text>"),
        &[&format!("{place} {{ nothing = {{}} }} to {{ value = {{ of = `map<text>` }} }}")],
    );
}

#[test]
fn changes_of_paging() {
    let spec = |paging: &str| {
        let two = good();
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
    let paged = "{ page = { param = `shelf` } }";
    compare(&none, &page, &[&format!("additive {place} from none to {paged}")]);
    compare(&page, &none, &[&format!("breaking {place} from {paged} to none")]);
    compare(
        &page,
        &offset,
        &[&format!("additive {place} from {paged} to {{ offset = {{ param = `shelf` }} }}")],
    );
    let numbered = "{ page = { param = `shelf`, first = 0 } }";
    compare(&page, &first, &[&format!("additive {place} from {paged} to {numbered}")]);

    let model = "[model.Page]\ndoc = \"A page.\"\nfield.on = { type = \"boolean\", presence = \"optional\", doc = \"On.\" }\n[operation.list_tools]";
    let beside = |more: &str| {
        spec(&format!("paging.page = {{ param = \"shelf\"{more} }}"))
            .replacen("[operation.list_tools]", model, 1)
            .replacen("{ of = \"Tool\" }", "{ of = \"Tool\", at = \"data\", beside = \"Page\" }", 1)
            .replacen("fixtures/tools.json", "fixtures/enveloped.json", 1)
    };
    let more = "{ page = { param = `shelf`, more = `on` } }";
    compare(
        &beside(""),
        &beside(", more = \"on\""),
        &[&format!("additive {place} from {paged} to {more}")],
    );
}

#[test]
fn changes_of_gauges() {
    let spec = |gauge: &str| {
        let spec = mirrored();
        let declared = "gauge = { value = \"amount\", unit = \"account.currency\" }";
        assert!(spec.contains(declared));
        spec.replacen(declared, gauge, 1).replace("response = \"", "response = \"mirrored/")
    };
    let (none, one) = (spec(""), spec("gauge = { value = \"amount\" }"));
    let both = spec("gauge = { value = \"amount\", unit = \"account.currency\" }");
    let place = "operation.get_balance: gauge changed";
    compare(&none, &one, &[&format!("additive {place} from none to {{ value = `amount` }}")]);
    compare(
        &one,
        &both,
        &[&format!(
            "breaking {place} from {{ value = `amount` }} to {{ value = `amount`, unit = `account.currency` }}"
        )],
    );
    compare(&one, &none, &[&format!("breaking {place} from {{ value = `amount` }} to none")]);
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
            "breaking model.Tool.field.name: type changed from `text` to `State`",
            "breaking model.Tool.field.name: rust-name changed from none to `label`",
            "documentation model.Tool.field.name: description changed",
        ],
    );
}

#[test]
fn changes_of_lists_and_maps() {
    let newer = good();
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
    let newer = good();
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
            codes.map(|code| code.replace('"', "`")).collect::<Vec<_>>().join(", ")
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
        let change = |class: &str, from: &str, to: &str| {
            let place = "model.Tool.field.name";
            format!("{class} {place}: lenient changed from {from} to {to}")
        };
        let listed = format!("`{word}`");
        let quoted = format!("\"{word}\"");
        compare(&lenient(""), &lenient(&quoted), &[&change(added, "none", &listed)]);
        compare(&lenient(&quoted), &lenient(""), &[&change("breaking", &listed, "none")]);
    }
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
        &[&format!("additive {place}: recovers changed from none to `shelf`")],
    );
    compare(
        &recovers("shelf"),
        &recovers("place"),
        &[&format!("breaking {place}: recovers changed from `shelf` to `place`")],
    );
}

#[test]
fn changes_of_enum_values() {
    let more = ("value.Lent", "value.Lost = { wire = \"lost\", doc = \"Gone.\" }\nvalue.Lent");
    check(&[more], &["additive enum.State.value.Lost: added"]);
}
