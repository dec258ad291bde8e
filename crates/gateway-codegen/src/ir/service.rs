//! The whole service, with its examples and its open points.

use std::sync::Arc;

use crate::ir::{Auth, Dispatch, Doc, Enum, Model, OpenRef, Operation, RustName, Scalar, Source};

/// The whole service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The machine name, in kebab case: `photo-archive`.
    pub name: String,
    /// The name for people: `Photo archive`.
    pub title: String,
    /// The version of the spec, `MAJOR.MINOR.PATCH`.
    pub version: String,
    /// The version segment of the service's address: `v1`.
    pub api_version: String,
    /// The path that all operations share, without a prefix: `/c/oauth/v1`. A secret in it replaces `{secret}`.
    pub path: String,
    /// How a call names its operation, and the parameters that every call has.
    pub dispatch: Dispatch,
    /// How a call is authenticated.
    pub auth: Auth,
    /// The value of the `Accept` header.
    pub accept: String,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe the service.
    pub source: Source,
    /// The open points that concern the whole service.
    pub open: Vec<OpenRef>,
    /// Scalars, in order of declaration.
    pub scalars: Vec<Arc<Scalar>>,
    /// Enums, in order of declaration.
    pub enums: Vec<Arc<Enum>>,
    /// Models, in order of declaration; a model may use one that is declared after it.
    pub models: Vec<Model>,
    /// Operations, in order of declaration.
    pub operations: Vec<Operation>,
    /// Byte-exact examples, in order of declaration.
    pub examples: Vec<Example>,
    /// Questions that the contract does not answer, by number.
    pub open_points: Vec<OpenPoint>,
    /// The first twelve hexadecimal digits of the SHA-256 of the spec's text (LF line ends).
    pub spec_hash: String,
}

/// A call and its response, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The name, in kebab case; unique.
    pub name: RustName,
    /// Index into [`Service::operations`].
    pub operation: usize,
    /// The description.
    pub doc: Doc,
    /// The parameters with their values as wire text, not yet percent-encoded.
    /// The index points into the operation's parameters.
    pub params: Vec<(usize, String)>,
    /// The query exactly as it is sent.
    pub query: String,
    /// The body of the request exactly as it is sent; empty for a GET.
    pub sent: String,
    /// The path of the response, relative to the folder of the spec: `fixtures/credits.json`.
    pub path: String,
    /// The response itself.
    pub body: String,
    /// Positions of the records in the response that a client must reject, each alone.
    pub rejected: Vec<usize>,
    /// Whether a client must be able to read it.
    pub client: bool,
    /// Whether a server must be able to send it.
    pub server: bool,
}

impl Example {
    /// Returns whether nothing in the request is percent-encoded.
    pub fn is_plain(&self) -> bool {
        !self.query.contains('%') && !self.sent.contains('%')
    }
}

/// A question that the contract does not answer, with what the client and the server do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPoint {
    /// The number: 1, 2, 3, …
    pub number: u32,
    /// The id: `D-date`.
    pub id: String,
    /// The question.
    pub question: Doc,
    /// Behaviour of our libraries.
    pub client: Doc,
    /// Behaviour of our server.
    pub server: Doc,
    /// The sections of the contract that the question is about.
    pub source: Source,
}
