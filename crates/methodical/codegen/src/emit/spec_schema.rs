//! The JSON Schema of the spec language, for editors.

use serde_json::{Value, json};

use crate::config::Project;
use crate::emit::file::{GeneratedFile, MARK};
use crate::spec;

/// Emits the schema, which describes the language and therefore ignores the service.
pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let Some(path) = &project.config.documents.spec_schema else { return Vec::new() };
    let mut schema =
        json!({ "$schema": null, "$comment": MARK, "title": "Spec language, version 2" });
    if let (Some(all), Value::Object(language)) = (schema.as_object_mut(), spec::schema()) {
        all.extend(language.into_iter().filter(|(key, _)| key != "title"));
    }
    vec![GeneratedFile::json(path.as_str(), &schema)]
}
