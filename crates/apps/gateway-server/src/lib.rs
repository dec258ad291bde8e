//! The recruitment gateway service over SQLite or PostgreSQL.
//!
//! A [`Server`] answers the operations of the contract from a [`Store`]. It checks bearer tokens, reports errors
//! as problem details, and streams each list from one consistent snapshot. The program `gateway-server` is a thin
//! command-line interface to this library.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | `server`, `config`, `ops` | a running server, its settings, and the listener of health and metrics |
//! | `front` | from the head of a request to its response: `decide` runs the checks in order, and `answer` adds the header that every response has. The modules below it contain problems, rate limits, metrics and bodies |
//! | `parameter`, `storage` | the parameters of an operation, and the reads that answer it |
//! | `store` | `read`, `import`, `deletion` and `check` work on both databases. `sqlite` and `postgres` are the drivers, which contain the statements that differ; the `Dialect` of each selects the candidates of a vacancy |
//! | `import`, `fields` | the formats of imported files, and the checks of each record |
//! | `cleanup` | removes superseded rows |
//! | `token`, `error` | bearer tokens, and the error type |
//! | `log`, `traces` | the lines of the log, and the export of spans |
//! | `demo`, `demo_data`, `demo_history` | a temporary server, and its sample data |
//! | `cli` | the program |
//! | `generated` | operations, their parameters, and the fields of records, from the spec |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod cleanup;
#[doc(hidden)]
pub mod cli;
mod config;
pub mod demo;
mod demo_data;
mod demo_history;
mod error;
mod fields;
mod front;
mod generated;
mod import;
mod log;
mod ops;
mod parameter;
mod server;
mod storage;
mod store;
mod token;
#[cfg(feature = "opentelemetry")]
mod traces;

pub use crate::config::{Clock, Config, UnixTime};
pub use crate::demo_data::DemoData;
pub use crate::error::{Error, ErrorKind, Place};
pub use crate::generated::record::{CandidateRow, CreditsRow, PortalRow, VacancyRow};
pub use crate::import::{Import, ImportFormat};
#[cfg(feature = "test-util")]
pub use crate::server::UnboundServer;
pub use crate::server::{RunningServer, Server};
pub use crate::store::{
    Account, AccountId, ApplicationRow, CandidateFilter, Changes, CheckReport, Cursor, Deletion,
    DeletionReport, Fill, ImportMode, ImportReport, Page, Principal, RecordSink, Removals,
    Snapshot, Stage, Store, TokenInfo, UnknownIds, Versions,
};
pub use crate::token::{NewToken, TokenDigest, TokenId};
