//! A framework for command-line programs that call method-dispatched HTTP gateways.
//!
//! A program built on this framework calls the operations of one service from a shell. It has a command for each
//! operation, and the following commands for every service:
//!
//! | command | purpose |
//! |---|---|
//! | `api` | calls any method and prints the raw response |
//! | `auth` | logs in and out, and shows where the active token comes from |
//! | `config` | shows and changes settings |
//! | `profile` | lists, chooses and removes profiles |
//! | `check` | checks the service against its contract, if the program has one |
//! | `mirror`, `tap`, `watch`, `dashboard` | keep a copy of the lists, show it, and deliver its changes, if a list returns all records of a type |
//! | `board`, `placements`, `duplicates`, `report`, `mcp` | answer who is where, if the records are in groups |
//! | `completions`, `help`, `man` | describe the program |
//!
//! The framework reads settings and tokens from flags, environment variables and profiles. It prints records as a
//! table, JSON, NDJSON, CSV or XLSX, with filters, sorting and a choice of fields; text formats are written while
//! records arrive. It explains errors and ends with documented exit codes. Each program's `--help` describes all this.
//!
//! This crate is not tied to any service. Generated code implements [`OperationCommands`] for a service's commands, and
//! [`Program`] adds what the service's spec lacks: the program's name, its version and examples.
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
//! | `program` | the description of a program, and the trait that generated commands implement |
//! | `commands`, `args` | an invocation and its commands; the command line, its help, and `man` and `completions` |
//! | `settings`, `files` | flags, variables and profiles; private and atomic files, with the settings and the tokens |
//! | `connect`, `session` | the client, and the log and redaction of its requests; printing responses, `api`, `check`, and gauge commands |
//! | `output` | the list of formats, and the output flags; `printer` writes records, `record` reads their fields, `select` chooses and sorts them, `destination` is where they go; one file for each format |
//! | `failure`, `screen` | messages with exit codes; terminals and signals |
//! | `mirror` | the mirror commands; `mirror/open` finds and opens a mirror, `mirror/placements` answers who is where and what happened |
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
