//! The service: the constants that all calls share, and its type.

use crate::ir::{Dispatch, Place, RustName, Service};
use crate::text::{RustFile, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The service: the constants that all calls share, and its type.");
    let selector = service.dispatch.first_selector().to_owned();
    let constants = [
        ("NAME", "The name of the service.", &service.name),
        ("API_VERSION", "The version segment of the service's address.", &service.api_version),
        (
            "PATH",
            "The URL path that all operations share, appended to the base URL.",
            &service.path,
        ),
        ("SELECTOR", "The query parameter that selects the operation.", &selector),
        ("ACCEPT", "The value of the `Accept` header of every call.", &service.accept),
    ];
    let dispatch = (!service.dispatch.is_plain()).then_some("Dispatch".to_owned());
    let names = dispatch.into_iter().chain(["Service".to_owned()]);
    file.import("use gateway_model_core", names);
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
    if !service.dispatch.is_plain() {
        file.line(format_args!("const DISPATCH: Dispatch = {};", dispatch_code(&service.dispatch)));
    }
    file.close("}");
    file
}

/// Returns the expression for how a call names its operation.
pub(in crate::emit) fn dispatch_code(dispatch: &Dispatch) -> String {
    let selectors: Vec<_> = dispatch.selectors.iter().map(|name| string(name)).collect();
    let code = match dispatch.place {
        Place::Query => format!("Dispatch::query(&[{}])", selectors.join(", ")),
        Place::Path => "Dispatch::path()".to_owned(),
    };
    if !dispatch.constants.is_empty() {
        let constants = dispatch.constants.iter();
        let constants: Vec<_> = constants
            .map(|(name, value)| format!("({}, {})", string(name), string(value)))
            .collect();
        return format!("{code}.constants(&[{}])", constants.join(", "));
    }
    code
}

/// Returns the name of the type that is the service.
pub(in crate::emit) fn marker(service: &Service) -> String {
    RustName::new(&service.name).map_or_else(|| "TheService".to_owned(), |name| name.pascal())
}
