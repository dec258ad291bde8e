//! The framework of command-line programs for method-dispatched HTTP gateways.
//!
//! A program of this framework calls the operations of one service from a shell. It has a command for each operation, and
//! these for every service:
//!
//! | command | purpose |
//! |---|---|
//! | `api` | calls any method and prints the raw response |
//! | `auth` | logs in and out, and shows where the active token comes from |
//! | `config` | shows and changes settings |
//! | `profile` | lists, chooses, renames and removes profiles |
//! | `check` | checks the service against its contract, if the program has one |
//! | `completions`, `help`, `man`, `version` | describe the program |
//!
//! The frame reads settings and tokens from flags, environment variables, profiles and the keyring. It prints records as a
//! table, JSON, NDJSON or CSV while they arrive, with filters, sorting and a choice of fields. It explains errors, and
//! ends with documented exit codes. `--help` of any program describes all of this.
//!
//! This crate knows no service. Generated code implements [`OperationCommands`] for the commands of a service, and
//! [`Program`] has what the spec of the service does not say: the name of the program, its version, examples.
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
//!     let program = Program::new("photos", env!("CARGO_PKG_VERSION"))
//!         .about("Photos and albums of the archive")
//!         .examples(&["totals -o json"]);
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
//! # Commands without the generator
//!
//! ```no_run
//! use methodical_cli::client::model::{Error, Operation, Query, RawQuery, Service};
//! use methodical_cli::{
//!     Envelope, Example, Failure, OperationCommands, Program, RecordType, Session,
//! };
//! use serde::{Deserialize, Serialize};
//!
//! struct Photos;
//!
//! impl Service for Photos {
//!     const NAME: &'static str = "photos";
//!     const API_VERSION: &'static str = "v1";
//!     const PATH: &'static str = "/api/v1";
//!     const SELECTOR: &'static str = "method";
//!     const ACCEPT: &'static str = "application/json";
//! }
//!
//! #[derive(Deserialize, Serialize)]
//! struct Totals {
//!     photos: u64,
//!     albums: u64,
//! }
//!
//! struct GetTotals;
//!
//! impl Operation for GetTotals {
//!     type Service = Photos;
//!     type Output = Totals;
//!
//!     const NAME: &'static str = "get_totals";
//!     const METHOD: &'static str = "totals/get";
//!
//!     fn query(&self) -> Result<Query, Error> {
//!         RawQuery::<Photos>::new(Self::METHOD).query()
//!     }
//!
//!     fn decode(&self, body: &[u8]) -> Result<Totals, Error> {
//!         RawQuery::<Photos>::decode(body)?.get()
//!     }
//! }
//!
//! #[derive(clap::Subcommand)]
//! enum Commands {
//!     /// Print how many photos and albums there are.
//!     Totals,
//! }
//!
//! impl OperationCommands for Commands {
//!     type Service = Photos;
//!     type Probe = GetTotals;
//!
//!     const EXAMPLE: Example = Example::new("totals", "totals/get", "photos,albums");
//!     const ENVELOPES: &'static [Envelope] = &[];
//!
//!     fn probe() -> GetTotals {
//!         GetTotals
//!     }
//!
//!     fn run(self, session: &Session<Photos>) -> Result<(), Failure> {
//!         let fields = &["photos", "albums"];
//!         match self {
//!             Self::Totals => session.object(&GetTotals, RecordType::new(fields, fields)),
//!         }
//!     }
//! }
//! ```
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `mirror` | the commands of a mirror and the connectors that read it, with [`run_with_mirror`] |
//! | `mirror-postgres` | copies of a mirror in PostgreSQL |
//! | `xlsx` | the output format XLSX, for spreadsheets |
//! | `keyring` | tokens in the keyring of the operating system |
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod args;
mod atomic_file;
mod beside_flag;
mod caller_thread;
mod command;
mod config;
mod connect;
#[cfg(feature = "mirror")]
mod connector;
mod contract;
mod demo;
mod dry_run;
mod entries;
mod escape;
mod exit;
mod explain;
#[cfg(feature = "mirror")]
mod exporter;
mod failure;
mod fill;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod gauge;
mod help;
mod interrupt;
mod invocation;
mod lock;
#[cfg(feature = "mirror")]
mod mirror;
mod name;
mod notices;
mod number;
mod operation_commands;
mod output;
mod paging_flags;
#[cfg(test)]
mod photos;
mod program;
#[cfg_attr(not(unix), path = "prompt_windows.rs")]
mod prompt;
mod proxy;
mod record_type;
mod run;
mod screen;
mod secrets;
mod session;
mod session_values;
mod suggest;
mod tally;
mod token_command;
mod trace;
mod wrap;

#[doc(no_inline)]
pub use methodical_client as client;
#[doc(no_inline)]
pub use methodical_client::model::FieldType;

pub use crate::beside_flag::BesideFlag;
pub use crate::contract::{CheckReport, CheckResult, CheckTarget, Contract};
pub use crate::demo::{Demo, SampleHistory, SampleService};
#[cfg(feature = "mirror")]
pub use crate::exporter::{ExportFormat, ExportRequest, ExportedTable, Exporter};
pub use crate::failure::Failure;
pub use crate::gauge::{CheckFlags, GaugeCommand};
pub use crate::operation_commands::{Envelope, Example, OperationCommands, PostMethod};
pub use crate::output::column::OutputColumn;
pub use crate::output::output_format::{FormatColumns, OutputFormat};
pub use crate::output::record::Cells;
pub use crate::output::record_writer::{Ending, RecordWriter};
pub use crate::output::select::Fields;
pub use crate::output::setup::OutputSetup;
pub use crate::output::upload::{Upload, UploadTarget, Uploader};
pub use crate::paging_flags::PagingFlags;
pub use crate::program::Program;
pub use crate::record_type::RecordType;
pub use crate::run::run;
#[cfg(feature = "mirror")]
pub use crate::run::run_with_mirror;
pub use crate::session::Session;

/// The items that generated commands of the same version use. They may change in any version.
#[doc(hidden)]
pub mod codegen {
    pub use clap;

    pub use crate::number::whole_number;
}
