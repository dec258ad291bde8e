//! The service: the constants that all calls share, and its type.

use crate::ir::{Auth, Dispatch, Place, RustName, SecretPlace, Service};
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
        ("SELECTOR", selector_doc(&service.dispatch), &selector),
        ("ACCEPT", "The value of the `Accept` header of every call.", &service.accept),
    ];
    let has_secrets = !service.auth.secrets().is_empty();
    let names = [
        ("Auth", service.auth != Auth::Bearer),
        ("Dispatch", !service.dispatch.is_plain()),
        ("Secret", has_secrets),
        ("SecretPlace", has_secrets),
        ("Service", true),
    ];
    let names = names.into_iter().filter(|(_, used)| *used).map(|(name, _)| name.to_owned());
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
    if service.auth != Auth::Bearer {
        file.line(format_args!("const AUTH: Auth = {};", auth_code(&service.auth)));
    }
    file.close("}");
    file
}

/// Returns the description of the selector.
fn selector_doc(dispatch: &Dispatch) -> &'static str {
    match dispatch.place {
        Place::Query if dispatch.selectors.len() > 1 => {
            "The first of the query parameters that select the operation."
        }
        Place::Query => "The query parameter that selects the operation.",
        Place::Form if dispatch.selectors.len() > 1 => {
            "The first of the fields of the form that select the operation."
        }
        Place::Form => "The field of the form that selects the operation.",
        Place::Path => "Empty: the end of the path selects the operation.",
    }
}

/// Returns the expression for how a call is authenticated.
pub(in crate::emit) fn auth_code(auth: &Auth) -> String {
    let secrets = match auth {
        Auth::None => return "Auth::None".to_owned(),
        Auth::Bearer => return "Auth::Bearer".to_owned(),
        Auth::Secrets(secrets) => secrets.iter().map(|secret| {
            let place = match secret.place {
                SecretPlace::Query => "Query",
                SecretPlace::Form => "Form",
                SecretPlace::Header => "Header",
                SecretPlace::Path => "Path",
            };
            format!("Secret::new({}, SecretPlace::{place})", string(&secret.name))
        }),
    };
    format!("Auth::Secrets(&[{}])", secrets.collect::<Vec<_>>().join(", "))
}

/// Returns the expression for how a call names its operation.
pub(in crate::emit) fn dispatch_code(dispatch: &Dispatch) -> String {
    let selectors: Vec<_> = dispatch.selectors.iter().map(|name| string(name)).collect();
    let code = match dispatch.place {
        Place::Query => format!("Dispatch::query(&[{}])", selectors.join(", ")),
        Place::Form => format!("Dispatch::form(&[{}])", selectors.join(", ")),
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
    let name =
        RustName::new(&service.name).map_or_else(|| "TheService".to_owned(), |name| name.pascal());
    if IMPORTS.contains(&name.as_str()) { name + "_" } else { name }
}

/// The types that some services import beside their own, in the order of the import.
const IMPORTS: [&str; 4] = ["Auth", "Dispatch", "Secret", "SecretPlace"];
