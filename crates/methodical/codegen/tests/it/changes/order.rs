//! The order of declarations.

use crate::changes::{FIELD, QUERY, VALUE, check, compare, declaring};

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

/// An insertion between two declarations is not a new order.
#[test]
fn an_addition_moves_nothing() {
    let lost = "value.Lost = { wire = \"lost\", doc = \"Gone.\" }\nvalue.Lent";
    check(&[("value.Lent", lost)], &["additive enum.State.value.Lost: added"]);
}
