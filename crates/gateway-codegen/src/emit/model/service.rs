//! The service: the constants that all calls share, and its type.

use crate::ir::{RustName, Service};
use crate::text::{RustFile, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The service: the constants that all calls share, and its type.");
    let constants = [
        ("NAME", "The name of the service.", &service.name),
        ("API_VERSION", "The version segment of the service's address.", &service.api_version),
        (
            "PATH",
            "The URL path that all operations share, appended to the base URL.",
            &service.path,
        ),
        ("SELECTOR", "The query parameter that selects the operation.", &service.selector),
        ("ACCEPT", "The value of the `Accept` header of every call.", &service.accept),
    ];
    file.line("use gateway_model_core::Service;");
    for (name, doc, value) in constants {
        file.blank();
        file.doc(doc);
        file.line(format_args!("pub const {name}: &str = {};", string(value)));
    }
    let marker = marker(service);
    file.blank();
    file.doc("The service as a type. A client accepts only operations of its service.");
    file.line("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]");
    file.line("#[non_exhaustive]");
    file.line(format_args!("pub struct {marker};"));
    file.blank();
    file.open(format_args!("impl Service for {marker} {{"));
    for (name, ..) in constants {
        file.line(format_args!("const {name}: &'static str = {name};"));
    }
    file.close("}");
    file
}

/// Returns the name of the type that is the service.
pub(in crate::emit) fn marker(service: &Service) -> String {
    RustName::new(&service.name).map_or_else(|| "TheService".to_owned(), |name| name.pascal())
}
