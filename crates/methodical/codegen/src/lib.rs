//! Generator of method-dispatched gateways: reads a spec, checks it, and writes the generated files.
//!
//! The program `methodical-codegen` and the tasks of a workspace call the same functions, and your own build script or
//! test can call them, too. [`Workspace::read`] reads `spec/codegen.toml` and the spec, and [`Workspace::generate`]
//! creates all files in memory. [`Output::compare`](output::Output::compare) lists the differences from the files on
//! disk, and [`Output::write`](output::Output::write) updates them:
//!
//! ```
//! use std::path::Path;
//!
//! use methodical_codegen::Workspace;
//!
//! let root = Path::new("../../..");
//! let workspace = Workspace::read(root, "spec/codegen.toml")?;
//! let output = workspace.generate()?;
//! for (path, drift) in output.compare(root)? {
//!     println!("{path}: {drift}");
//! }
//! # assert!(output.files().contains_key("crates/gateway-model/src/generated/queries.rs"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The steps in between are also public:
//!
//! | module | contents |
//! |---|---|
//! | [`config`] | the services of a workspace, and what is generated for each |
//! | [`spec`] | reads a spec: `language` is its tables as types, `read` reads these with serde and words the mistakes, `lower` resolves names and checks rules, and `example` checks the examples |
//! | [`ir`] | the checked service, which all emitters use |
//! | [`emit`] | the emitters: templates that look like their output, each next to the code that fills it |
//! | [`output`] | formats, marks, compares and replaces the generated files |
//! | [`diff`] | compares two specs, with semver verdicts |
//! | [`text`] | writes text from a spec so that its content cannot break a file |
//! | [`cli`] | the commands, which `cargo xtask` shares; `init` starts a service, `diag` prints mistakes |
//!
//! This crate depends on no other workspace crate, so the generator works even if the generated code does not compile.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod cli;
pub mod config;
mod diag;
pub mod diff;
pub mod emit;
mod init;
pub mod ir;
pub mod output;
pub mod spec;
pub mod text;

pub use crate::config::{Config, Workspace};
pub use crate::diag::Report;
