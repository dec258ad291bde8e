//! The dates of records, for the flag `--since` of the program.

use crate::ir::Service;
use crate::text::{RustFile, string};

/// Declares the paths of the dates of all records in lists, each once. Declares nothing if no record has a date.
pub(super) fn declare(file: &mut RustFile, service: &Service) {
    let mut dates: Vec<String> = Vec::new();
    let lists = service.operations.iter().filter(|one| one.response.is_list());
    for model in lists.filter_map(|one| service.response_model(one)) {
        for field in &model.fields {
            let is_date = field.ty.value().is_some_and(|value| value.check() == CIVIL);
            let path = string(&field.wire);
            if is_date && !dates.contains(&path) {
                dates.push(path);
            }
        }
    }
    if !dates.is_empty() {
        let dates = dates.join(", ");
        file.line(format_args!("const DATES: &'static [&'static str] = &[{dates}];"));
    }
}

/// The check of a civil date and time. Moments are numbers, whose date depends on the time zone.
const CIVIL: &str = "CivilDateTime";
