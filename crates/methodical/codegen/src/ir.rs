//! The checked and resolved form of a spec, which every emitter reads.
//!
//! A [`Service`] exists only if the spec has no errors, so an emitter need not check anything: every reference
//! resolves, every Rust name is legal and free of collisions, every parameter in `needs` exists, and every example fits
//! its operation. Declarations are in the order of the file.
//!
//! There are two kinds of names. A name on the wire is a plain `String` called `wire`; write it to Rust code with
//! [`text::string`](crate::text::string). A name in Rust is a [`RustName`], which can be written in any case and is
//! never a keyword or a name in the prelude.

use std::collections::BTreeSet;
use std::sync::Arc;

pub use self::name::RustName;
pub(crate) use self::name::is_in;
pub(crate) use self::operation::other_form;
pub use self::operation::{
    BodyFormat, Command, ErrorClass, Gauge, ITEM, ListStyle, Mark, Operation, PagedBy, Paging,
    Param, Post, Response, Says, Verdict,
};
pub use self::types::{
    BuiltIn, Code, Codes, EnumValue, Field, Leniency, Meaning, Model, ModelId, Names, Primitive,
    Type, ValueType, Wire,
};
use crate::spec::read::words;
use crate::text::percent_encoded;

mod name;
mod operation;
mod types;

/// A service: everything that its spec says, checked and resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The machine name, in kebab case, such as `photo-archive`.
    pub name: String,
    /// The name for people, such as `Photo archive`.
    pub title: String,
    /// The version of the spec, `MAJOR.MINOR.PATCH`.
    pub version: String,
    /// The path of all operations, without a prefix, such as `/c/oauth/v1`. A secret in the path replaces `{secret}`.
    pub path: String,
    /// How a call names its operation, and the parameters that every call has.
    pub dispatch: Dispatch,
    /// How a call is authenticated.
    pub auth: Auth,
    /// The value of the `Accept` header.
    pub accept: String,
    /// The service's description.
    pub about: About,
    /// Scalars, in order of declaration.
    pub scalars: Vec<Arc<ValueType>>,
    /// Enums, in order of declaration.
    pub enums: Vec<Arc<ValueType>>,
    /// Models, in order of declaration; a model may use a model that is declared after it.
    pub models: Vec<Model>,
    /// Operations, in order of declaration.
    pub operations: Vec<Operation>,
    /// Byte-exact examples, in order of declaration.
    pub examples: Vec<Example>,
    /// Questions that the contract does not answer, in order of declaration.
    pub open_points: Vec<OpenPoint>,
}

impl Service {
    /// Returns the open points with these ids, in order of declaration.
    pub fn open_points<'a>(
        &'a self,
        ids: impl IntoIterator<Item = &'a String>,
    ) -> Vec<&'a OpenPoint> {
        let ids: BTreeSet<_> = ids.into_iter().collect();
        self.open_points.iter().filter(|point| ids.contains(&point.id)).collect()
    }

    /// Returns an operation's open points: its own, and those of its parameters, response fields, and their types.
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

    /// Returns the model with this id.
    pub fn model(&self, id: ModelId) -> &Model {
        #[expect(clippy::indexing_slicing, reason = "a model has an id only if it is in the list")]
        &self.models[id.0]
    }

    /// Returns the model of a response's records; `None` if the response has no records.
    pub fn response_model(&self, operation: &Operation) -> Option<&Model> {
        operation.response.model().map(|id| self.model(id))
    }

    /// Returns the models of all response records, in order of declaration.
    pub fn record_models(&self) -> Vec<&Model> {
        let ids = self.operations.iter().filter_map(|one| one.response.model());
        ids.collect::<BTreeSet<_>>().into_iter().map(|id| self.model(id)).collect()
    }

    /// Returns the model of a response's list metadata, if the contract declares any.
    pub fn metadata_model(&self, operation: &Operation) -> Option<&Model> {
        operation.response.metadata.map(|id| self.model(id))
    }

    /// Returns the ids of the models in a response, at any depth.
    pub fn models_of(&self, operation: &Operation) -> BTreeSet<ModelId> {
        let response = &operation.response;
        let element = response.value().and_then(|ty| ty.element().model());
        let models = [response.model(), response.metadata, element].into_iter().flatten();
        models.flat_map(|id| self.reachable(id)).collect()
    }

    /// Returns the ids of a model and of all models nested in it, at any depth.
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

    /// Returns the fields along a path that begins at a model, outermost first; `None` if one of them does not exist.
    pub fn fields_at<'s>(&'s self, model: &'s Model, path: &[String]) -> Option<Vec<&'s Field>> {
        let (mut inner, mut fields) = (Some(model), Vec::new());
        for key in path {
            let field = inner?.fields.iter().find(|field| field.wire == *key)?;
            inner = self.nested(field);
            fields.push(field);
        }
        Some(fields)
    }

    /// Returns the examples of an operation.
    pub fn examples_of(&self, operation: &Operation) -> impl Iterator<Item = &Example> {
        let index = self.operations.iter().position(|other| other.select == operation.select);
        self.examples.iter().filter(move |example| Some(example.operation) == index)
    }

    /// Returns the examples that bind clients, with their operations.
    pub fn client_examples(&self) -> impl Iterator<Item = (&Operation, &Example)> {
        let examples = self.examples.iter().filter(|example| example.client);
        examples.filter_map(|example| Some((self.operations.get(example.operation)?, example)))
    }

    /// Returns a parameter value as wire text: an enum's first value, an example's value, or any that the type allows.
    pub fn sample(&self, operation: &Operation, param: &Param) -> String {
        let given = self.examples_of(operation).find_map(|example| example.given(param));
        let given = given.and_then(|text| param.items(text).first().copied());
        let of_type = param.ty.example();
        let of_enum = of_type.filter(|_| param.ty.is_enum());
        let any = if param.ty.in_query == Primitive::Boolean { "false" } else { "1" };
        of_enum.or(given).or(of_type).unwrap_or(any).to_owned()
    }

    /// Returns the default columns of a record: those that the spec declares or, if it declares none, all fields. A
    /// nested model contributes all fields except its identity.
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

    /// Returns every column path, also into nested models, with its type: a variant of the runtime's `FieldType`.
    pub fn paths(&self, model: &Model) -> Vec<(String, &'static str)> {
        let of = |field: &Field| field.ty.value().map_or("Json", ValueType::field_type);
        let paths = model.fields.iter().flat_map(|field| {
            let inner = self.nested(field).into_iter().flat_map(|inner| &inner.fields);
            let inner = inner.map(move |one| (format!("{}.{}", field.wire, one.wire), of(one)));
            std::iter::once((field.wire.clone(), of(field))).chain(inner)
        });
        paths.collect()
    }

    /// Returns the field's model if the field is a nested record.
    pub fn nested(&self, field: &Field) -> Option<&Model> {
        field.ty.model().map(|id| self.model(id))
    }

    /// Returns the path of an operation, such as `/c/oauth/v1`.
    pub fn path_of(&self, operation: &Operation) -> String {
        match self.dispatch.place {
            Place::Query | Place::Form => self.path.clone(),
            Place::Path => format!("{}/{}", self.path, operation.select),
        }
    }

    /// Returns an operation's query and body for parameters whose values are wire text. The body of a GET is empty.
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

    /// Returns an operation's method and path with a query, such as `GET /c/oauth/v1?method=photos/list`.
    pub fn target_of(&self, operation: &Operation, query: &str) -> String {
        let method = if operation.post.is_some() { "POST" } else { "GET" };
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{method} {}{mark}{query}", self.path_of(operation))
    }

    /// Returns an operation's method, path and query without parameters, followed by the form if the selector is in it.
    pub fn call_of(&self, operation: &Operation) -> String {
        let (query, body) = self.request_of(operation, &[]);
        let form =
            if self.dispatch.place == Place::Form { format!(" {body}") } else { String::new() };
        self.target_of(operation, &query) + &form
    }
}

/// A call and its response, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The name, in kebab case; unique.
    pub name: RustName,
    /// Index into [`Service::operations`].
    pub operation: usize,
    /// The example's description.
    pub doc: String,
    /// The parameter names with their values as wire text, not yet percent-encoded.
    pub params: Vec<(String, String)>,
    /// The query exactly as it is sent.
    pub query: String,
    /// The body of the request exactly as it is sent; empty for a GET.
    pub sent: String,
    /// The path of the response file, relative to the spec's folder, such as `fixtures/credits.json`.
    pub path: String,
    /// The body of the response: the contents of the file at `path`, or nothing if the spec was read without a folder.
    pub body: String,
    /// Positions of the records in the response that a client must reject individually.
    pub rejected: Vec<usize>,
    /// Whether a client must be able to read the response.
    pub client: bool,
    /// Whether a server must be able to send the response.
    pub server: bool,
}

impl Example {
    /// Returns the example's value for a parameter of its operation, as wire text.
    pub fn given(&self, param: &Param) -> Option<&str> {
        let given = self.params.iter().find(|(name, _)| *name == param.wire);
        given.map(|(_, text)| text.as_str())
    }

    /// Returns whether neither the query nor the body contains percent-encoding.
    pub fn is_plain(&self) -> bool {
        !self.query.contains('%') && !self.sent.contains('%')
    }
}

/// A question that the contract does not answer, with what the client and the server do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPoint {
    /// The id, such as `D-date`.
    pub id: String,
    /// The question that the contract does not answer.
    pub question: String,
    /// How our libraries behave.
    pub client: String,
    /// How our server behaves.
    pub server: String,
    /// The sections of the contract that the question is about; empty if the spec names none.
    pub source: String,
}

/// The description of a declaration, with its sections of the contract and its open points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Sentences, with `code` between backticks. They may contain anything (quotes, comment ends, Markdown, HTML). The
    /// functions of [`text`](crate::text) escape them for their destination.
    pub doc: String,
    /// The sections of the contract that describe the declaration, such as `4.1, rule 2`; empty if the spec names none.
    pub source: String,
    /// The ids of the open points about the declaration, such as `D-date`; see [`Service::open_points`].
    pub open: Vec<String>,
}

/// Returns a phrase that names sections of the contract, if any, such as `section 4.1, rule 2 of the contract`.
pub(crate) fn phrase(source: &str) -> Option<String> {
    (!source.is_empty()).then(|| format!("section {source} of the contract"))
}

/// How a call names its operation, and the parameters that every call has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The part of the request that names the operation.
    pub place: Place,
    /// The one or two parameters that name the operation; empty if the path names it.
    pub selectors: Vec<String>,
    /// The parameters that every call has, with their values, in the order in which they are sent.
    pub constants: Vec<(String, String)>,
}

words! {
    /// The part of the request that names the operation.
    pub enum Place {
        /// The selector is a query parameter.
        Query = "query",
        /// The selector is in the form of every call, which is a POST.
        Form = "form",
        /// The last segments of the path select the operation.
        Path = "path",
    }
}

impl Dispatch {
    /// Returns whether a call names its operation in one query parameter and has no constants.
    pub fn is_plain(&self) -> bool {
        self.place == Place::Query && self.selectors.len() == 1 && self.constants.is_empty()
    }

    /// Returns whether every call has a parameter of this name.
    pub fn sends(&self, name: &str) -> bool {
        let constants = self.constants.iter().map(|(constant, _)| constant);
        self.selectors.iter().chain(constants).any(|sent| sent == name)
    }

    /// Returns each selector with its value for an operation. The first `/` in `select` separates two values.
    pub fn values<'a>(&'a self, select: &'a str) -> Vec<(&'a str, &'a str)> {
        match self.selectors.as_slice() {
            [first, second] => {
                let (one, other) = select.split_once('/').unwrap_or((select, ""));
                vec![(first, one), (second, other)]
            }
            selectors => selectors.iter().map(|name| (name.as_str(), select)).collect(),
        }
    }

    /// Returns the `name=value` pairs with which every call of an operation begins, as they are sent.
    pub fn pairs(&self, operation: &Operation) -> Vec<String> {
        let selectors = self.values(&operation.select).into_iter();
        let selectors = selectors.map(|(name, value)| format!("{name}={value}"));
        let constants = self.constants.iter();
        let constants = constants.map(|(name, value)| format!("{name}={}", percent_encoded(value)));
        selectors.chain(constants).collect()
    }
}

/// How a call is authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// Calls are not authenticated.
    None,
    /// A bearer token in the header `Authorization` (RFC 6750).
    Bearer,
    /// One or more secrets, each in a different place.
    Secrets(Vec<Secret>),
}

/// A secret that every call sends, such as an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The name of the parameter or header. For a secret in the path, the name is only for display.
    pub name: String,
    /// The secret's place in a request.
    pub place: SecretPlace,
    /// The secret's description.
    pub doc: String,
}

words! {
    /// The place of a secret in a request.
    pub enum SecretPlace {
        /// A query parameter, after all others.
        Query = "query",
        /// A parameter of the form in the body, after all others.
        Form = "form",
        /// A header.
        Header = "header",
        /// The text `{secret}` in the `path` of the service.
        Path = "path",
    }
}

/// The placeholder in a service's path that the secret replaces.
pub const SECRET: &str = "{secret}";

impl Auth {
    /// Returns the secrets. The slice is empty for a bearer token, or without authentication.
    pub fn secrets(&self) -> &[Secret] {
        match self {
            Self::Secrets(secrets) => secrets,
            Self::None | Self::Bearer => &[],
        }
    }
}
