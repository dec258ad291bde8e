//! The columns of a table: which fields of a record are shown, and in which order.

use crate::ir::{Field, Model, Operation, Service, ValueType};

impl Service {
    /// Returns the default columns of a record: those that the spec declares. If it declares none,
    /// all fields, and of a nested model all fields except its identity.
    pub fn columns(&self, model: &Model) -> Vec<String> {
        if let Some(declared) = &model.columns {
            return declared.clone();
        }
        let mut columns = Vec::new();
        for field in &model.fields {
            let Some(inner) = self.nested(field) else {
                columns.push(field.wire.clone());
                continue;
            };
            let identity = inner.identity_field().map(|field| &field.wire);
            let alone = inner.fields.len() == 1;
            let shown = inner
                .fields
                .iter()
                .filter(|one| self.nested(one).is_none())
                .filter(|one| alone || Some(&one.wire) != identity);
            columns.extend(shown.map(|one| format!("{}.{}", field.wire, one.wire)));
        }
        columns
    }

    /// Returns the columns of the response of an operation. A value has one.
    pub fn columns_of(&self, operation: &Operation) -> Vec<String> {
        match self.response_model(operation) {
            Some(model) => self.columns(model),
            None => vec!["value".to_owned()],
        }
    }

    /// Returns every path that a column can have: the fields, and those of nested models.
    pub fn paths(&self, model: &Model) -> Vec<String> {
        self.typed_paths(model).into_iter().map(|(path, _)| path).collect()
    }

    /// Returns every path that a column can have, with its type: a variant of the runtime's `FieldType`.
    pub fn typed_paths(&self, model: &Model) -> Vec<(String, &'static str)> {
        let of = |field: &Field| field.ty.value().map_or("Json", ValueType::field_type);
        let mut paths = Vec::new();
        for field in &model.fields {
            paths.push((field.wire.clone(), of(field)));
            let inner = self.nested(field).into_iter().flat_map(|inner| &inner.fields);
            paths.extend(inner.map(|one| (format!("{}.{}", field.wire, one.wire), of(one))));
        }
        paths
    }

    /// Returns the columns of a flat row: one for each field, for each field of a nested model instead of the model, and one
    /// for unlisted fields. A column that would have the name of another gets a trailing underscore.
    pub fn flat_columns(&self, model: &Model) -> Vec<String> {
        let mut columns: Vec<String> = Vec::new();
        let paths = model.fields.iter().flat_map(|field| match self.nested(field) {
            None => vec![field.wire.clone()],
            Some(inner) => {
                inner.fields.iter().map(|one| format!("{}.{}", field.wire, one.wire)).collect()
            }
        });
        for mut column in paths.chain(["extra".to_owned()]) {
            while columns.contains(&column) {
                column.push('_');
            }
            columns.push(column);
        }
        columns
    }

    fn nested(&self, field: &Field) -> Option<&Model> {
        field.ty.model().map(|id| self.model(id))
    }
}
