//! The framework of command-line programs for method-dispatched HTTP gateways.
//!
//! A program of this framework calls the operations of one service from a shell. It has a command for each operation,
//! and these for every service:
//!
//! | command | purpose |
//! |---|---|
//! | `api` | calls any method and prints the raw response |
//! | `auth` | logs in and out, and shows where the active token comes from |
//! | `config` | shows and changes settings |
//! | `profile` | lists, chooses and removes profiles |
//! | `check` | checks the service against its contract, if the program has one |
//! | `mirror`, `tap`, `watch`, `dashboard` | keep a copy of the lists, and read and deliver its changes, if a list has all records of a type |
//! | `board`, `placements`, `duplicates`, `report`, `mcp` | answer who is where, if the records are in groups |
//! | `completions`, `help`, `man` | describe the program |
//!
//! The framework reads settings and tokens from flags, environment variables and profiles. It prints records as a
//! table, JSON, NDJSON or CSV while they arrive, with filters, sorting and a choice of fields. It explains errors, and
//! ends with documented exit codes. `--help` of any program describes all of this.
//!
//! This crate is not tied to any service. Generated code implements [`OperationCommands`] for the commands of a service, and
//! [`Program`] adds what the spec of the service lacks: the name of the program, its version, examples.
//!
//! # A program
//!
//! With generated commands, this is the whole `main.rs`, except for the module that contains them:
//!
//! ```no_run
#![doc = include_str!("../doctests/photos.txt")]
//! use std::process::ExitCode;
//!
//! use methodical_cli::Program;
//!
//! fn main() -> ExitCode {
//!     let program = Program {
//!         about: "Photos and albums of the archive",
//!         examples: &["totals -o json"],
//!         ..Program::new("photos", env!("CARGO_PKG_VERSION"))
//!     };
//!     methodical_cli::run::<Commands>(&program)
//! }
//! ```
//!
//! The program is then used like this:
//!
//! ```console
//! $ photos auth login --base-url https://photos.example.com
//! $ photos totals -o json
//! $ PHOTOS_TOKEN=… photos api totals/get
//! ```
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | `program` | what a program and its generated commands describe |
//! | `commands`, `args` | an invocation and its commands; the command line, its help, and `man` and `completions` |
//! | `settings`, `files` | flags, variables and profiles; private and atomic files, with the settings and the tokens |
//! | `connect`, `session` | the client, the log and the redaction of its requests; the printing of responses, `api`, `check`, and the commands of gauges |
//! | `output` | the list of formats, and the flags; `printer` writes records, `record` reads their fields, `select` chooses and sorts them, `destination` is where they go; one file for each format |
//! | `failure`, `screen` | messages with exit codes; terminals and signals |
//! | `mirror` | the commands of a mirror; `mirror/open` finds and opens it, `mirror/placements` answers who is where and what happened |
//! | `connector` | the Singer tap |
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `dashboard` | read-only pages over a mirror, for a browser |
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod args;
mod commands;
mod connect;
mod connector;
mod failure;
mod files;
mod mirror;
mod output;
mod program;
mod screen;
mod session;
mod settings;
#[cfg(test)]
mod tests;

#[doc(no_inline)]
pub use methodical_client as client;
#[doc(no_inline)]
pub use methodical_client::model::tables::FieldType;
#[doc(no_inline)]
pub use methodical_testkit::contract::Contract;

pub use crate::commands::{run, run_embedded};
pub use crate::failure::Failure;
pub use crate::mirror::upkeep::Exporter;
pub use crate::output::destination::{Upload, Uploader};
pub use crate::output::record::Fields;
pub use crate::output::{OutputColumn, OutputFormat, OutputSetup, RecordWriter};
pub use crate::program::{
    Demo, Example, OperationCommands, Program, RecordType, SampleHistory, SampleService,
};
pub use crate::session::{CheckFlags, GaugeCommand, Session};

/// Items for generated commands of the same version. They may change in any release.
#[doc(hidden)]
pub mod codegen {
    pub use clap;

    pub use crate::args::whole_number;
}
