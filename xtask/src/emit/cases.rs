//! Contract cases: the examples of the spec as data, byte for byte, for tests in any project.

use crate::emit::GeneratedFile;
use crate::ir::{Example, Service};
use crate::text::{Rust, string};

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let mut file = Rust::new("The examples of the spec as contract cases.");
    file.line("use crate::cases::ContractCase;");
    file.blank();
    file.doc("Every example of the spec, in its order.");
    file.open("pub const CONTRACT_CASES: &[ContractCase] = &[");
    for example in &service.examples {
        case(&mut file, service, example);
    }
    file.close("];");
    vec![GeneratedFile {
        path: "crates/gateway-testkit/src/generated/cases.rs".to_owned(),
        text: file.finish(),
    }]
}

fn case(file: &mut Rust, service: &Service, example: &Example) {
    let operation = service.operations.get(example.operation);
    let select = operation.map_or("", |operation| &operation.select);
    let mut text = |name: &str, value: &str| {
        file.line(format_args!("{name}: {},", string(value)));
    };
    text("ContractCase { name", &example.name.kebab());
    text("method", select);
    text("query", &example.query);
    text("body", &example.body);
    let rejected: Vec<_> = example.rejected.iter().map(ToString::to_string).collect();
    file.line(format_args!("rejected: &[{}],", rejected.join(", ")));
    file.line(format_args!("client: {}, server: {} }},", example.client, example.server));
}
