//! The checked and resolved form of a spec, which every emitter reads.
//!
//! A [`Service`] only exists if the spec has no error, so an emitter need not check anything:
//! every reference resolves, every Rust name is legal and free of collisions, every parameter in
//! `needs` exists, and every example fits its operation. Declarations are in the order of the file.
//!
//! There are two kinds of names. A name on the wire is a plain `String` called `wire`; write it to
//! Rust code with [`text::string`](crate::text::string). A name in Rust is a [`RustName`], which
//! is written in the case that its place needs and is never a keyword or a name of the prelude.

pub use self::auth::{Auth, SECRET, Secret, SecretPlace};
pub(crate) use self::body::other_form;
pub use self::body::{Body, Decides, ErrorClass, Verdict};
pub use self::built_in::BUILT_IN;
pub(crate) use self::built_in::{built_in, built_in_list};
pub use self::command::Command;
pub use self::description::{Doc, OpenRef, Source};
pub use self::dispatch::{Dispatch, Place};
pub use self::form::Form;
pub use self::kind::{BuiltIn, Meaning};
pub use self::leniency::Leniency;
pub use self::list_style::{ITEM, ListStyle};
pub use self::meaning::{FIRST_WORDS as FIRST_MEANING_WORDS, ID, MEANINGS, WORDS as MEANING_WORDS};
pub use self::model::{Field, Model};
pub use self::name::RustName;
pub use self::operation::{Gauge, Operation, Otherwise, Param, Response};
pub use self::paging::{Mark, PagedBy, Paging, Says};
pub use self::post::{BodyFormat, Post};
pub use self::primitive::Primitive;
pub use self::service::{Example, OpenPoint, Service};
pub(crate) use self::target::joined;
pub use self::ty::{Type, ValueType};
pub use self::types::{Code, Codes, Enum, EnumValue, ModelId, Scalar};
pub use self::wire::Wire;

mod auth;
mod body;
mod built_in;
mod columns;
mod command;
mod description;
mod dispatch;
mod form;
mod kind;
mod leniency;
mod list_style;
mod lookup;
mod meaning;
mod model;
mod name;
mod operation;
mod paging;
mod phrases;
mod post;
mod primitive;
mod service;
mod target;
mod ty;
mod types;
mod wire;
