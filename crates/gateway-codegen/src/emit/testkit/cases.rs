//! Contract cases: the examples of the spec as data, byte for byte, for tests in any project.

use crate::emit::testkit::fixture;
use crate::ir::Example;
use crate::project::Project;
use crate::text::{RustFile, string};

pub(super) fn emit(project: &Project<'_>) -> RustFile {
    let mut file = RustFile::new("The examples of the spec as contract cases.");
    file.line("use crate::cases::ContractCase;");
    file.blank();
    file.doc("All examples of the spec, in the order of the spec.");
    file.open("pub const CONTRACT_CASES: &[ContractCase] = &[");
    for example in &project.service.examples {
        case(&mut file, project, example);
    }
    file.close("];");
    file
}

fn case(file: &mut RustFile, project: &Project<'_>, example: &Example) {
    let operation = project.service.operations.get(example.operation);
    let select = operation.map_or("", |operation| &operation.select);
    file.line(format_args!("ContractCase {{ name: {},", string(&example.name.kebab())));
    file.line(format_args!("method: {},", string(select)));
    file.line(format_args!("query: {},", string(&example.query)));
    file.line(format_args!("body: {},", fixture::included(project, example)));
    let rejected: Vec<_> = example.rejected.iter().map(ToString::to_string).collect();
    file.line(format_args!("rejected: &[{}],", rejected.join(", ")));
    file.line(format_args!("client: {}, server: {} }},", example.client, example.server));
}
