//! How declarations affect generated code, in cases where a mistake would still compile.

use std::fs;
use std::path::Path;

use methodical_codegen::ir::{BuiltIn, Meaning, Service, ValueType, Wire};
use methodical_codegen::spec::{read_bytes, read_file};

use crate::{ROOT, config, files, good, read, replaced, service};

/// Replaces text in the good spec, and looks for lines in a file that is generated from it. Returns the file.
#[track_caller]
fn check(replacements: &[(&str, &str)], file: &str, expected: &[&str]) -> String {
    assert_generated(changed(replacements), file, expected)
}

/// Returns the service of the good spec with other text.
#[track_caller]
fn changed(replacements: &[(&str, &str)]) -> Service {
    service(read(replaced(good(), replacements)))
}

/// Looks for lines in a generated file.
#[track_caller]
fn assert_generated(service: Service, file: &str, expected: &[&str]) -> String {
    let files = files(service, config());
    let text = &files.iter().find(|one| one.path == file).expect("it is generated").text;
    for line in expected {
        let lines = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
        assert!(lines(text).contains(&lines(line)), "no `{line}` in\n{text}");
    }
    text.clone()
}

/// The commands of a gauge are a variant beside those of the operations.
#[test]
fn the_commands_of_a_gauge_have_a_name_that_no_operation_has() {
    let path = Path::new(ROOT).join("tests/fixtures/every-feature/spec.toml");
    let spec = fs::read_to_string(&path).expect("it is there").replace("get_balance", "gauge");
    let service = service(read_bytes(spec.as_bytes(), path.parent(), "spec.toml"));
    let commands = "crates/apps/gateway-cli/src/generated/commands.rs";
    assert_generated(service, commands, &["Gauge,", "Gauge_(methodical_cli::GaugeCommand),"]);
}

/// The messages of a service without codes.
#[test]
fn a_page_says_where_the_texts_of_an_empty_list_are() {
    let path = Path::new(ROOT).join("tests/fixtures/ledger/spec.toml");
    let page = "docs/generated/operations/list-transfers.md";
    let expected = "A failure whose message is `No transfers found` means an empty list.";
    assert_generated(service(read_file(&path, "spec.toml")), page, &[expected]);
}

#[test]
fn the_server_knows_the_parameters_and_their_limits() {
    let operations = "crates/apps/gateway-server/src/generated/operations.rs";
    let parameter = |name, most| format!("Parameter {{ name: \"{name}\", max_chars: {most} }},");
    let [shelf, state] = [parameter("shelf", "usize::MAX"), parameter("state", "9")];
    check(
        &[("needs = [\"shelf\"]", "max-chars = 9, needs = [\"shelf\"]")],
        operations,
        &["const LIST_TOOLS: [Parameter; 2] = [", &shelf, &state],
    );
}

/// Seconds since 1970 are an integer, but a service may refuse an integer that is too large for a date.
#[test]
fn only_an_integer_without_a_meaning_may_be_any_integer() {
    let spec = Path::new(ROOT).join("tests/fixtures/tool-shed/spec.toml");
    let contract = "crates/gateway-testkit/src/generated/contract.rs";
    let param = |name, values, sample, unknown| {
        format!(
            "name: \"{name}\",\nvalues: Values::{values},\norigin: None,\nsample: \"{sample}\",\nunknown: {unknown},"
        )
    };
    let lent = param("lent-after", "Other", "-3000000000", "None");
    let deep = param("deep", "Integer", "-2", "Some(\"9223372036854775807\")");
    assert_generated(service(read_file(&spec, "spec.toml")), contract, &[&lent, &deep]);
}

#[test]
fn flags_of_text_are_not_empty() {
    let commands = "crates/apps/gateway-cli/src/generated/commands.rs";
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

/// On the command line, a boolean by codes is `true` or `false` with any codes of the service. A required one has a value
/// too: without it, the flag would be optional.
#[test]
fn a_boolean_by_codes_is_true_or_false_on_the_command_line() {
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
        &["--shelf true", "value_name = \"BOOL\", action = clap::ArgAction::Set, required = true"],
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
        reading.unwrap_or_else(|report| panic!("{report}"))
    });
    let models = services.iter().flat_map(|service| &service.models);
    let fields: Vec<_> =
        models.flat_map(|model| &model.fields).filter_map(|field| field.ty.value()).collect();
    for built_in in BuiltIn::ALL.iter().copied() {
        assert!(
            fields.iter().any(|ty| ty.built_in == Some(built_in)),
            "no field is {}",
            built_in.word()
        );
    }
    for meaning in Meaning::ALL.iter().copied() {
        for wire in Wire::ALL.iter().copied().filter(|wire| meaning.primitive(*wire).is_some()) {
            let is_one = |ty: &&ValueType| (ty.meaning, ty.wire) == (Some(meaning), wire);
            let (meaning, wire) = (meaning.word(), wire.word());
            assert!(fields.iter().any(is_one), "no field is `{meaning}` as `{wire}`");
        }
    }
}
