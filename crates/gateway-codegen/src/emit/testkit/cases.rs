//! Contract cases: the examples of the spec as data, byte for byte, for tests in any project.

use std::fmt::Write as _;

use crate::emit::testkit::fixture::{self, Fixtures};
use crate::ir::Example;
use crate::project::Project;
use crate::text::{RustFile, string};

pub(super) fn emit(project: &Project<'_>) -> RustFile {
    let mut file = RustFile::new("The examples of the spec as contract cases.");
    file.line("use gateway_testkit_core::cases::ContractCase;");
    file.blank();
    if !project.service.examples.is_empty() {
        file.line(fixture::IMPORT);
        file.blank();
    }
    let fixtures = Fixtures::of(project.service);
    file.doc("All examples of the spec, in the order of the spec.");
    file.open("pub const CONTRACT_CASES: &[ContractCase] = &[");
    for example in &project.service.examples {
        case(&mut file, project, &fixtures, example);
    }
    file.close("];");
    file
}

fn case(file: &mut RustFile, project: &Project<'_>, fixtures: &Fixtures<'_>, example: &Example) {
    let operation = project.service.operations.get(example.operation);
    let select = operation.map(|operation| operation.select.clone()).unwrap_or_default();
    let [name, select, query] =
        [&example.name.kebab(), &select, &example.query].map(|text| string(text));
    let body = fixtures.expression(example);
    let mut code = format!("ContractCase::new({name}, {select}, {query}, {body})");
    if !example.sent.is_empty() {
        _ = write!(code, ".posts({})", string(&example.sent));
    }
    if !example.rejected.is_empty() {
        let rejected: Vec<_> = example.rejected.iter().map(ToString::to_string).collect();
        _ = write!(code, ".rejects(&[{}])", rejected.join(", "));
    }
    match (example.client, example.server) {
        (true, true) => {}
        (true, false) => code.push_str(".only_for_clients()"),
        (false, _) => code.push_str(".only_for_servers()"),
    }
    file.line(format_args!("{code},"));
}
