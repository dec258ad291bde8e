//! Constants of the service: what every call has in common.

use crate::emit::GeneratedFile;
use crate::ir::Service;
use crate::text::{Rust, string};

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let mut file = Rust::new("What every call of the service has in common.");
    let mut constant = |name: &str, doc: &str, value: &str| {
        file.doc(doc);
        file.line(format_args!("pub const {name}: &str = {};", string(value)));
        file.blank();
    };
    constant("NAME", "The name of the service.", &service.name);
    constant("API_VERSION", "The version segment of the service's address.", &service.api_version);
    constant("PATH", "The path of all operations, below the base URL.", &service.path);
    constant("SELECTOR", "The query parameter that selects the operation.", &service.selector);
    constant("ACCEPT", "The value of the `Accept` header of every call.", &service.accept);
    vec![GeneratedFile {
        path: "crates/gateway-model/src/generated/service.rs".to_owned(),
        text: file.finish(),
    }]
}
