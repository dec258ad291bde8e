//! One self-contained JSON Schema for each model.

use serde_json::{Map, Value, json};

use crate::emit::file::{GeneratedFile, MARK};
use crate::emit::type_schemas::TypeSchemas;
use crate::ir::Model;
use crate::project::Project;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let Some(folder) = &project.config.documents.json_schema else { return Vec::new() };
    let schemas = TypeSchemas { service, prefix: "#/$defs/" };
    let one = |model: &Model| {
        let mut schema = Map::new();
        schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        schema.insert("$comment".to_owned(), json!(MARK));
        schema.insert("title".to_owned(), json!(model.rust.spaced()));
        schema.insert("$ref".to_owned(), json!(format!("#/$defs/{}", model.rust.pascal())));
        let mut definitions = Map::new();
        for id in service.reachable(model.id) {
            let model = service.model(id);
            definitions.insert(model.rust.pascal(), schemas.model(model));
        }
        schema.insert("$defs".to_owned(), Value::Object(definitions));
        GeneratedFile::json(format!("{folder}/{}.json", model.rust.kebab()), &Value::Object(schema))
    };
    service.models.iter().map(one).collect()
}
