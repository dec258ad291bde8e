//! How declarations affect generated code, in cases where a mistake would still compile.

use std::path::Path;

use methodical_codegen::config::{Config, Role};
use methodical_codegen::ir::{BuiltIn, Meaning, Service, ValueType, Wire};
use methodical_codegen::spec::read_file;

use crate::{config, files, good, read, replaced, service};

/// Replaces text in the good spec, and looks for lines in a file that is generated from it. Returns the file.
#[track_caller]
fn check(replacements: &[(&str, &str)], file: &str, expected: &[&str]) -> String {
    assert_generated(&(changed(replacements), config()), file, expected)
}

/// Returns the service of the good spec with other text.
#[track_caller]
fn changed(replacements: &[(&str, &str)]) -> Service {
    service(read(replaced(good(), replacements)))
}

/// Looks for lines in a generated file.
#[track_caller]
fn assert_generated(
    (service, config): &(Service, Config),
    file: &str,
    expected: &[&str],
) -> String {
    let files = files(service, config);
    let text = &files.iter().find(|one| one.path == file).expect("it is generated").text;
    for line in expected {
        let lines = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
        assert!(lines(text).contains(&lines(line)), "no `{line}` in\n{text}");
    }
    text.clone()
}

/// Returns a service in language 2 with fields beside a list, a list in a record, and codes. Its program is `tool-shed`.
fn second() -> (Service, Config) {
    let service = changed(&[
        (
            "name = {",
            "uses = { type = \"list<map<Use>>\", presence = \"optional\", doc = \"Its uses.\" }\nname = {",
        ),
        (
            "name = {",
            "heavy = { type = \"Flag\", presence = \"optional\", doc = \"Its weight.\" }\nname = {",
        ),
        (
            "{ of = \"Tool\" }",
            "{ of = \"Tool\", at = \"data\", beside = \"Page\", envelope = \"marked\" }",
        ),
        ("[model.Tool]\n", SECOND),
        ("fixtures/tools.json", "fixtures/enveloped.json"),
    ]);
    let mut config = config();
    let program = config.packages.get_mut(&Role::Cli).expect("a program");
    "tool-shed-cli".clone_into(&mut program.name);
    (service, config)
}

/// Declarations before the model of the good spec.
const SECOND: &str = r#"
[envelope.marked]
success = { at = "ok", is = ["yes"] }

[scalar.Flag]
wire = "codes"
meaning = "boolean"
true = [1, "1"]
false = [0, ""]
example = "1"
doc = "Yes or no."

[model.Use]
doc = "A use."
[model.Use.field]
name = { type = "text", presence = "optional", doc = "The name." }

[model.Page]
doc = "A page."
[model.Page.field]
ok = { type = "text", presence = "optional", doc = "The marker." }

[model.Tool]
"#;

/// The command `api` calls a method by its name.
#[test]
fn the_program_knows_which_methods_are_called_by_post() {
    let service = changed(&[
        ("response.list", "verb = \"post\"\nidempotent = true\nresponse.list"),
        (
            "query = \"call=tools/list&shelf=3&state=free\"",
            "query = \"call=tools/list\"\nbody = \"shelf=3&state=free\"",
        ),
    ]);
    let posts = "const POSTS: &'static [methodical_cli::PostMethod] = &[methodical_cli::PostMethod::form(\"tools/list\").idempotent()];";
    assert_generated(
        &(service, config()),
        "crates/apps/gateway-cli/src/generated/commands.rs",
        &[posts],
    );
}

#[test]
fn mocks_add_a_marker_to_fields_that_lack_it() {
    let mocks = "crates/gateway-testkit/src/generated/mocks.rs";
    let added = r##"self.call.marked(r#""ok":"yes""#).list_beside((r#"{"data":["#, "]", "}"), records, beside)"##;
    assert_generated(&second(), mocks, &[added]);
}

#[test]
fn the_reference_links_to_the_types_in_lists_and_beside_them() {
    assert_generated(
        &second(),
        "docs/generated/operations/list-tools.md",
        &[
            "| [`list<map<Use>>`](../types.md#use) |",
            "Beside the list are the fields of [`Page`](../types.md#page).",
            "| `ok` | text | optional | The marker. |",
        ],
    );
}

#[test]
fn the_reference_shows_the_codes_and_the_meanings_of_scalars() {
    let types = "docs/generated/types.md";
    let flag = "true: `1`, `\"1\"`; false: `0`, `\"\"` | true: `1`; false: `0` | boolean | `1` | Yes or no. |";
    assert_generated(&second(), types, &[flag, "| integer | id | `7` |"]);
}

#[test]
fn examples_use_the_variables_of_the_program() {
    let page = "docs/generated/operations/list-tools.md";
    assert_generated(
        &second(),
        page,
        &["Bearer $TOOL_SHED_TOKEN", "\"$TOOL_SHED_BASE_URL/api/v2?"],
    );
}

/// A mock has the methods `like_…` and `without_…` of each parameter, and others such as `delay`.
#[test]
fn the_method_of_a_mock_for_a_parameter_has_a_name_of_its_own() {
    let mocks = "crates/gateway-testkit/src/generated/mocks.rs";
    for name in ["without-shelf", "like-shelf", "delay"] {
        let method = name.replace('-', "_");
        check(
            &[
                ("shelf = { type", &format!("{name} = {{ type")),
                ("\"shelf\"", &format!("\"{name}\"")),
                ("{ shelf = 3", &format!("{{ {name} = 3")),
                ("&shelf=3", &format!("&{name}=3")),
            ],
            mocks,
            &[&format!("pub fn {method}_(self, value: i64) -> Self {{")],
        );
    }
}

#[test]
fn a_parameter_without_one_that_it_needs_is_ignored() {
    let parameters = "crates/apps/gateway-server/src/generated/parameters.rs";
    let alone = "if self.state.is_some() && self.shelf.is_none()";
    check(&[], parameters, &[alone, "return Some((\"state\", \"shelf\"));"]);
}

#[test]
fn the_server_checks_the_documented_limits_of_parameters() {
    let parameters = "crates/apps/gateway-server/src/generated/parameters.rs";
    let shelf = "shelf = { type = \"integer\"";
    check(
        &[(shelf, &format!("{shelf}, min = -1, max = 12"))],
        parameters,
        &["shelf: Option<i64>,", "parameter::between(pairs, \"shelf\", -1..=12)?,"],
    );
    check(
        &[(shelf, &format!("{shelf}, required = true"))],
        parameters,
        &[
            "shelf: i64,",
            "parameter::between(pairs, \"shelf\", i64::MIN..=i64::MAX)?.ok_or(Problem { parameter: \"shelf\", fault: Fault::Missing })?,",
        ],
    );
    check(
        &[("needs = [\"shelf\"]", "max-chars = 9, needs = [\"shelf\"]")],
        parameters,
        &[
            "state: Option<String>,",
            "pub(crate) const STATE_MAX_CHARS: usize = 9;",
            "parameter::text(pairs, \"state\", Some(Self::STATE_MAX_CHARS))?,",
        ],
    );
}

#[test]
fn the_spec_declares_the_attributes_that_filters_recover() {
    let recovered = "crates/apps/gateway-server/src/generated/record.rs";
    let field = |name: &str, kind: &str| {
        format!("Field {{ name: \"{name}\", kind: Kind::{kind}, is_required: false }},")
    };
    let [shelf, tool, state] = [
        field("shelf", "Integer { min: i64::MIN }"),
        field("tool_id", "Id"),
        field("state", "Text"),
    ];
    let whole = |name: &str, fields: &[&str]| {
        format!("pub(crate) const {name}: &[Field] = &[\n{}\n];", fields.join("\n"))
    };
    let of_state = ("needs = [\"shelf\"]", "recovers = \"condition\", needs = [\"shelf\"]");
    let of_shelf =
        ("shelf = { type = \"integer\"", "shelf = { type = \"integer\", recovers = \"place\"");
    let both = whole("LIST_TOOLS_STATE", &[&shelf, &tool, &state]);
    check(&[of_state], recovered, &[&both]);
    check(&[of_shelf], recovered, &[&whole("LIST_TOOLS_SHELF", &[&tool, &shelf])]);
    // The place is a part of the condition: a tool has a condition in a place.
    check(
        &[of_state, of_shelf],
        recovered,
        &["}\n\n/// The fields of the attribute `condition`", &both],
    );
}

#[test]
fn the_spec_declares_the_columns_of_a_table() {
    let commands = "crates/apps/gateway-cli/src/generated/commands.rs";
    let constant = "const TOOL_RECORD: RecordType<'_> =";
    let fields = "&[\"id\", \"name\", \"state\"]";
    let named = ".named(\"tool\", \"tools\");";
    check(&[], commands, &[constant, &format!("({fields}, {fields})"), named]);
    let identity = "identity = \"id\"";
    check(
        &[(identity, &format!("{identity}\ncolumns = [\"state\", \"id\"]"))],
        commands,
        &[&format!("(&[\"state\", \"id\"], {fields})")],
    );
}

#[test]
fn commands_have_examples_in_their_help() {
    let commands = "crates/apps/gateway-cli/src/generated/commands.rs";
    check(
        &[],
        commands,
        &[
            "after_help = \"tools list --shelf 3 --state free\\ntools list --output-file tools.xlsx\"",
        ],
    );
}

#[test]
fn flags_check_the_documented_limits_of_parameters() {
    let commands = "crates/apps/gateway-cli/src/generated/commands.rs";
    let shelf = "shelf = { type = \"integer\"";
    for (limits, range) in
        [("min = -1, max = 12", "-1..=12"), ("min = 3", "3.."), ("max = 9", "..=9")]
    {
        let parser = format!("value_parser = clap::value_parser!(i64).range({range})");
        check(&[(shelf, &format!("{shelf}, {limits}"))], commands, &[&parser]);
    }
    check(&[], commands, &["Known values: `free`, `lent`.", "NonEmptyStringValueParser"]);
}

#[test]
fn a_token_is_checked_even_if_every_operation_has_a_required_parameter() {
    let commands = "crates/apps/gateway-cli/src/generated/commands.rs";
    let cheapest = "type Probe = model::ListTools;";
    check(
        &[],
        commands,
        &[cheapest, "fn probe() -> Self::Probe {\n        model::ListTools::new()"],
    );
    let shelf = "shelf = { type = \"integer\"";
    check(
        &[(shelf, &format!("{shelf}, required = true"))],
        commands,
        &[cheapest, "model::ListTools::new(3)"],
    );
}

#[test]
fn examples_in_the_help_need_no_parameters() {
    let commands = "crates/apps/gateway-cli/src/generated/commands.rs";
    check(&[], commands, &["Example::new(\"tools list\", \"tools/list\", \"id,name,state\")"]);
}

#[test]
fn a_selector_that_is_not_a_rust_name_becomes_a_command() {
    let commands = "crates/apps/gateway-cli/src/generated/commands.rs";
    for (selector, expected) in [
        ("self/get", ["name = \"self\")]\n    Self_(SelfCommand)", "enum SelfCommand"]),
        (
            "2fa/get",
            ["name = \"2fa\")]\n    Service2fa(Service2faCommand)", "enum Service2faCommand"],
        ),
        ("operation/get", ["Operation(OperationCommand_)", "enum OperationCommand_"]),
        ("2fa", ["    Service2fa(ListToolsFlags)", "Self::Service2fa(flags)"]),
    ] {
        let query = format!("query = \"call={selector}&");
        check(
            &[
                ("select = \"tools/list\"", &format!("select = \"{selector}\"")),
                ("query = \"call=tools/list&", &query),
            ],
            commands,
            &expected,
        );
    }
}

#[test]
fn the_examples_of_an_enum_use_a_text_that_it_does_not_list() {
    let enums = "crates/gateway-model/src/generated/types.rs";
    check(&[], enums, &["State, UnknownState, \"text\", not \"later\","]);
    check(
        &[("value.Lent = { wire = \"lent\"", "value.Lent = { wire = \"later\"")],
        enums,
        &["State, UnknownState, \"text\", not \"later still\","],
    );
}

#[test]
fn the_constant_of_the_selector_says_where_it_is() {
    let service = changed(&[
        ("selector = \"call\"", "selector = \"call\"\nin = \"form\""),
        ("query = \"call=", "body = \"call="),
    ]);
    assert_generated(
        &(service, config()),
        "crates/gateway-model/src/generated/service.rs",
        &["/// The field of the form that selects the operation.\npub const SELECTOR"],
    );
}

/// An integer has one text, so a query may hold it as text too.
#[test]
fn an_integer_may_be_text_in_a_query() {
    let shelf_id = "[scalar.ShelfId]\nwire = \"integer\"\nquery-wire = \"string\"\nmeaning = \"id\"\n\
                    example = \"3\"\ndoc = \"A shelf.\"\n\n[enum.State]";
    check(
        &[
            ("[enum.State]", shelf_id),
            ("shelf = { type = \"integer\"", "shelf = { type = \"ShelfId\""),
            ("params = { shelf = 3", "params = { shelf = \"3\""),
        ],
        "crates/gateway-model/src/generated/queries.rs",
        &["query.push(\"shelf\", &ToString::to_string(shelf));", ".shelf_state(3, "],
    );
}

/// On the command line, a boolean by codes is `true` or `false`, whatever the service reads.
#[test]
fn a_boolean_by_codes_is_true_or_false_in_examples_of_the_program() {
    let deep = "[scalar.Deep]\nwire = \"codes\"\ntrue = [1]\nfalse = [0]\nmeaning = \"boolean\"\n\
                example = \"1\"\ndoc = \"Whether it is deep.\"\n\n[enum.State]";
    let commands = check(
        &[
            ("[enum.State]", deep),
            ("shelf = { type = \"integer\"", "shelf = { type = \"Deep\", required = true"),
            ("params = { shelf = 3", "params = { shelf = true"),
            ("shelf=3", "shelf=1"),
        ],
        "crates/apps/gateway-cli/src/generated/commands.rs",
        &["--shelf true"],
    );
    assert!(!commands.contains("--shelf 1"), "{commands}");
}

/// The specs of which the tests of the workspace compile all generated code, one in each version of the language.
const FIXTURES: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/tool-shed/spec.toml"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/recipe-box/spec.toml"),
];

#[test]
fn the_fixtures_that_are_compiled_have_every_kind_of_value() {
    let services = FIXTURES.map(|path| {
        let reading = read_file(Path::new(path), "spec.toml");
        reading.unwrap_or_else(|report| panic!("{report}")).0
    });
    let models = services.iter().flat_map(|service| &service.models);
    let fields: Vec<_> =
        models.flat_map(|model| &model.fields).filter_map(|field| field.ty.value()).collect();
    for built_in in BuiltIn::ALL.iter().copied() {
        assert!(fields.contains(&&ValueType::BuiltIn(built_in)), "no field is {}", built_in.word());
    }
    for meaning in Meaning::ALL.iter().copied() {
        for wire in Wire::ALL.iter().copied().filter(|wire| meaning.kind(*wire).is_some()) {
            let is_one = |ty: &&ValueType| match ty {
                ValueType::Scalar(scalar) => {
                    (scalar.kind.meaning, scalar.wire) == (Some(meaning), wire)
                }
                ValueType::BuiltIn(_) | ValueType::Enum(_) => false,
            };
            let (word, noun) = (meaning.word(), wire.noun());
            assert!(fields.iter().any(is_one), "no field is `{word}` as {noun}");
        }
    }
}
