//! The checked and resolved form of a spec, which every emitter reads.
//!
//! A [`Service`] only exists if the spec has no error, so an emitter need not check anything:
//! every reference resolves, every Rust name is legal and free of collisions, every parameter in
//! `needs` exists, and every example fits its operation. Declarations are in the order of the file.
//!
//! There are two kinds of names. A name on the wire is a plain `String` called `wire`; write it to
//! Rust code with [`text::string`](crate::text::string). A name in Rust is a [`RustName`], which
//! is written in the case that its place needs and is never a keyword or a name of the prelude.

pub use self::kinds::{BuiltIn, Code, Codes, Meaning, Names, Primitive, Wire};
pub use self::name::RustName;
pub use self::operation::{BodyFormat, Command, Gauge, ITEM, ListStyle, Operation, Param, Post};
pub(crate) use self::response::other_form;
pub use self::response::{ErrorClass, Mark, PagedBy, Paging, Response, Says, Verdict};
pub use self::service::{
    About, Auth, Dispatch, Example, OpenPoint, Place, SECRET, Secret, SecretPlace, Service, Source,
};
pub use self::types::{EnumValue, Field, Leniency, Model, ModelId, Type, ValueType};
pub use crate::spec::language::{ListLeniency, Presence, QueryWire, Side, Verb};

mod kinds;
mod lookup;
mod name;
mod operation;
mod phrases;
mod response;
mod service;
mod types;
