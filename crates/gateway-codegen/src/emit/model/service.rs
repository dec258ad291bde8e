//! Constants of the service, which all calls share.

use crate::ir::Service;
use crate::text::{RustFile, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("Constants that all calls share.");
    for (name, doc, value) in [
        ("NAME", "The name of the service.", &service.name),
        ("API_VERSION", "The version segment of the service's address.", &service.api_version),
        (
            "PATH",
            "The URL path that all operations share, appended to the base URL.",
            &service.path,
        ),
        ("SELECTOR", "The query parameter that selects the operation.", &service.selector),
        ("ACCEPT", "The value of the `Accept` header of every call.", &service.accept),
    ] {
        file.doc(doc);
        file.line(format_args!("pub const {name}: &str = {};", string(value)));
        file.blank();
    }
    file
}
