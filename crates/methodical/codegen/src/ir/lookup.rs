//! Lookups in a service: what an id points to, which declarations belong together, columns, and requests.

use std::collections::BTreeSet;

use crate::ir::{
    BodyFormat, Example, Field, ITEM, Model, ModelId, OpenPoint, Operation, Param, Place,
    Primitive, Service, Type, ValueType,
};
use crate::text::{json_string, percent_encoded};

impl Service {
    /// Returns the open point with this id.
    pub fn open_point(&self, id: &str) -> Option<&OpenPoint> {
        self.open_points.iter().find(|point| point.id == id)
    }

    /// Returns the open points that are referred to, by number and without duplicates.
    pub fn open_points<'a>(
        &'a self,
        ids: impl IntoIterator<Item = &'a String>,
    ) -> Vec<&'a OpenPoint> {
        let mut points: Vec<_> = ids.into_iter().filter_map(|id| self.open_point(id)).collect();
        points.sort_by_key(|point| point.number);
        points.dedup_by_key(|point| point.number);
        points
    }

    /// Returns the open points that concern an operation: its own, and those of its parameters,
    /// of the fields in its response, and of the types of both.
    pub fn open_points_of<'a>(&'a self, operation: &'a Operation) -> Vec<&'a OpenPoint> {
        let model = self.response_model(operation);
        let fields = model.map(|model| model.fields.as_slice()).unwrap_or_default();
        let types = fields.iter().map(|field| &field.ty).chain(operation.response.value());
        let of_types = types.flat_map(|ty| match ty.element() {
            Type::Value(value) => value.about.open.as_slice(),
            Type::Model(id) => &self.model(*id).about.open,
            Type::List(_) | Type::Map(_) => &[],
        });
        let of_params =
            operation.params.iter().flat_map(|one| one.about.open.iter().chain(&one.ty.about.open));
        let of_fields = fields.iter().flat_map(|field| &field.about.open);
        self.open_points(
            operation.about.open.iter().chain(of_params).chain(of_fields).chain(of_types),
        )
    }

    /// Returns a model of this service.
    pub fn model(&self, id: ModelId) -> &Model {
        #[expect(clippy::indexing_slicing, reason = "a model has an id only if it is in the list")]
        &self.models[id.position()]
    }

    /// Returns the model that a response consists of; `None` if it has no records.
    pub fn response_model(&self, operation: &Operation) -> Option<&Model> {
        operation.response.model().map(|id| self.model(id))
    }

    /// Returns the model of the fields beside the list of a response.
    pub fn beside_model(&self, operation: &Operation) -> Option<&Model> {
        operation.response.beside.map(|id| self.model(id))
    }

    /// Returns the ids of the models in a response, at any depth.
    pub fn models_of(&self, operation: &Operation) -> BTreeSet<ModelId> {
        let response = &operation.response;
        let element = response.value().and_then(|ty| ty.element().model());
        let models = [response.model(), response.beside, element].into_iter().flatten();
        models.flat_map(|id| self.reachable(id)).collect()
    }

    /// Returns the ids of the models that a model contains at any depth, and its own.
    pub fn reachable(&self, from: ModelId) -> BTreeSet<ModelId> {
        let mut found = BTreeSet::from([from]);
        let mut pending = vec![from];
        while let Some(id) = pending.pop() {
            let inner = self.model(id).fields.iter();
            let inner = inner.filter_map(|field| field.ty.element().model());
            pending.extend(inner.filter(|id| found.insert(*id)));
        }
        found
    }

    /// Returns the fields to which the keys of a path lead, from a model inwards; `None` if one does not exist.
    pub fn fields_at<'s>(&'s self, model: ModelId, path: &[String]) -> Option<Vec<&'s Field>> {
        let mut fields: Vec<&Field> = Vec::new();
        for key in path {
            let model = match fields.last() {
                Some(field) => field.ty.model()?,
                None => model,
            };
            fields.push(self.model(model).fields.iter().find(|field| field.wire == *key)?);
        }
        Some(fields)
    }

    /// Returns the examples of an operation.
    pub fn examples_of(&self, operation: &Operation) -> impl Iterator<Item = &Example> {
        let index = self.operations.iter().position(|other| other.select == operation.select);
        self.examples.iter().filter(move |example| Some(example.operation) == index)
    }

    /// Returns a value for a parameter, as wire text: the first one of an enum, that of an example, or one that the type
    /// allows.
    pub fn sample(&self, operation: &Operation, param: &Param) -> String {
        let position = operation.params.iter().position(|other| other.wire == param.wire);
        let mut given = self.examples_of(operation).flat_map(|example| &example.params);
        let given = given.find(|(index, _)| Some(*index) == position);
        let given = given.and_then(|(_, text)| param.items(text).first().copied());
        let of_type = param.ty.example();
        let of_enum = of_type.filter(|_| param.ty.is_enum());
        of_enum.or(given).or(of_type).map_or_else(
            || match param.ty.in_query {
                Primitive::Boolean | Primitive::Coded => "false".to_owned(),
                _ => param.min.or(param.max).unwrap_or(1).to_string(),
            },
            str::to_owned,
        )
    }

    /// Returns the default columns of a record: those that the spec declares. If it declares none,
    /// all fields, and of a nested model all fields except its identity.
    pub fn columns(&self, model: &Model) -> Vec<String> {
        if let Some(declared) = &model.columns {
            return declared.clone();
        }
        let columns = model.fields.iter().flat_map(|field| {
            let Some(inner) = self.nested(field) else { return vec![field.wire.clone()] };
            let identity = inner.identity_field().filter(|_| inner.fields.len() > 1);
            let shown = inner.fields.iter().filter(|one| self.nested(one).is_none());
            let shown = shown.filter(|one| identity.is_none_or(|field| field.wire != one.wire));
            shown.map(|one| format!("{}.{}", field.wire, one.wire)).collect()
        });
        columns.collect()
    }

    /// Returns every path that a column can have, those of nested models too, with its type: a variant of the runtime's
    /// `FieldType`.
    pub fn paths(&self, model: &Model) -> Vec<(String, &'static str)> {
        let of = |field: &Field| field.ty.value().map_or("Json", ValueType::field_type);
        let paths = model.fields.iter().flat_map(|field| {
            let inner = self.nested(field).into_iter().flat_map(|inner| &inner.fields);
            let inner = inner.map(move |one| (format!("{}.{}", field.wire, one.wire), of(one)));
            std::iter::once((field.wire.clone(), of(field))).chain(inner)
        });
        paths.collect()
    }

    fn nested(&self, field: &Field) -> Option<&Model> {
        field.ty.model().map(|id| self.model(id))
    }
}

impl Model {
    /// Returns the field that identifies a record.
    pub fn identity_field(&self) -> Option<&Field> {
        self.identity.and_then(|index| self.fields.get(index))
    }
}

impl Operation {
    /// Returns the parameter with the value that changes from page to page.
    pub fn position_param(&self) -> Option<&Param> {
        self.params.get(self.paging.as_ref()?.param?)
    }

    /// Returns the parameter with the maximum number of records of a page.
    pub fn size_param(&self) -> Option<&Param> {
        self.params.get(self.paging.as_ref()?.size?)
    }

    /// Returns whether a parameter selects records by an attribute that they do not contain.
    pub fn recovers(&self) -> bool {
        self.params.iter().any(|param| param.recovers.is_some())
    }

    /// Returns the parameters that a parameter needs.
    pub fn needed_by<'a>(&'a self, param: &'a Param) -> impl Iterator<Item = &'a Param> {
        param.needs.iter().filter_map(|&index| self.params.get(index))
    }

    /// Returns the optional parameters that a parameter needs, in their order.
    pub fn needed_options<'a>(&'a self, param: &'a Param) -> impl Iterator<Item = &'a Param> {
        self.needed_by(param).filter(|needed| !needed.required)
    }

    /// Returns the name of the method that sets an optional parameter: `status`, or `album_status` if it takes the value of
    /// `album_id`, too, because `status` needs it.
    pub fn setter(&self, param: &Param) -> String {
        let needed = self.needed_options(param).map(|one| one.rust.without_last("id"));
        let joined = needed.chain([param.rust.clone()]).reduce(|one, next| one.joined_with(&next));
        let mut name = joined.map(|name| name.snake()).unwrap_or_default();
        let mut others = self.params.iter().filter(|other| other.wire != param.wire);
        if others.any(|other| other.rust.snake() == name) {
            name.push('_');
        }
        name
    }
}

impl Service {
    /// Returns the path of an operation: `/c/oauth/v1`.
    pub fn path_of(&self, operation: &Operation) -> String {
        match self.dispatch.place {
            Place::Query | Place::Form => self.path.clone(),
            Place::Path => format!("{}/{}", self.path, operation.select),
        }
    }

    /// Returns the query of an operation and the body of its POST, with these parameters as wire text.
    pub fn request_of(
        &self,
        operation: &Operation,
        params: &[(&Param, String)],
    ) -> (String, String) {
        let fixed = self.dispatch.pairs(operation);
        let pairs = params.iter().flat_map(|(param, text)| param.pairs(text)).collect();
        match operation.post.map(|post| post.format) {
            None => ([fixed, pairs].concat().join("&"), String::new()),
            Some(BodyFormat::Form) if self.dispatch.place == Place::Form => {
                (String::new(), [fixed, pairs].concat().join("&"))
            }
            Some(BodyFormat::Form) => (fixed.join("&"), pairs.join("&")),
            Some(BodyFormat::Json) => {
                let members = params.iter().map(|(param, text)| param.member(text));
                let members: Vec<_> = members.collect();
                (fixed.join("&"), format!("{{{}}}", members.join(",")))
            }
        }
    }

    /// Returns the method, the path and the query of an operation without parameters:
    /// `GET /c/oauth/v1?method=photos/list`.
    pub fn target_of(&self, operation: &Operation) -> String {
        let (query, body) = self.request_of(operation, &[]);
        let mark = if query.is_empty() { "" } else { "?" };
        let target = format!("{}{mark}{query}", self.path_of(operation));
        match operation.post {
            None => format!("GET {target}"),
            Some(_) if self.dispatch.place == Place::Form => format!("POST {target} {body}"),
            Some(_) => format!("POST {target}"),
        }
    }
}

impl Param {
    /// Returns the parameter as it is sent in a query or a form.
    fn pairs(&self, text: &str) -> Vec<String> {
        let pair = |name: &str, value: &str| {
            format!("{}={}", percent_encoded(name), percent_encoded(value))
        };
        let Some(style) = self.list else { return vec![pair(&self.wire, text)] };
        let items = self.items(text);
        if let Some(separator) = style.separator() {
            return vec![pair(&self.wire, &items.join(separator))];
        }
        let items = items.into_iter().enumerate();
        items.map(|(index, item)| pair(&style.name(&self.wire, index), item)).collect()
    }

    /// Returns the type in Rust, by its bare name.
    pub fn rust_type(&self) -> String {
        let ty = self.ty.rust();
        if self.list.is_some() { format!("Vec<{ty}>") } else { ty }
    }

    /// Returns the values in the wire text of an example: those of a list, or the only one.
    pub fn items<'a>(&self, text: &'a str) -> Vec<&'a str> {
        if self.list.is_some() { text.split(ITEM).collect() } else { vec![text] }
    }

    /// Returns a value as an argument of the program, in which a boolean by codes is `true` or `false`.
    pub fn argument<'a>(&self, text: &'a str) -> &'a str {
        match self.ty.codes.as_ref().and_then(|codes| codes.value(text)) {
            Some(true) => "true",
            Some(false) => "false",
            None => text,
        }
    }

    /// Returns the parameter as a member of a JSON object.
    fn member(&self, text: &str) -> String {
        let is_literal = self.ty.is_json_literal();
        let one = |text: &str| if is_literal { text.to_owned() } else { json_string(text) };
        let items: Vec<_> = self.items(text).into_iter().map(one).collect();
        let (name, items) = (json_string(&self.wire), items.join(","));
        if self.list.is_some() { format!("{name}:[{items}]") } else { format!("{name}:{items}") }
    }
}
