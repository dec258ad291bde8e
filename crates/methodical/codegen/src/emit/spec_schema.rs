//! The JSON Schema of the spec language, for editors.

use crate::config::Project;
use crate::emit::file::{GeneratedFile, MARK};
use crate::spec;

/// Emits the schema, which describes the language and therefore ignores the service.
pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let Some(path) = &project.config.documents.spec_schema else { return Vec::new() };
    let mut schema = spec::schema();
    for (key, text) in [("$comment", MARK), ("title", "Spec language, version 2")] {
        schema.as_object_mut().map(|schema| schema.insert(key.to_owned(), text.into()));
    }
    vec![GeneratedFile::json(path.as_str(), &schema)]
}
