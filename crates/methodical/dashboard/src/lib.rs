//! Read-only pages over a mirror of a gateway, for a browser.
//!
//! The pages are HTML with one style sheet and no script. Tables, columns, groups, values and gauges come from the
//! generated description of a service, [`Mirrored`](methodical_mirror::model::tables::Mirrored).
//!
//! # Pages
//!
//! | page | contents |
//! |---|---|
//! | Today | what is new, who moved, who is waiting, what is left, and how the last sync ended |
//! | Records | the records of a table: search, state, order, pages, and the members of groups with some values |
//! | Record | the fields of a record, its groups, and its history |
//! | Changes | the feed of the mirror, by day |
//! | Funnel | how many members have each value or ever had it, for how long, and where they went from there |
//! | Duplicates | the members that may be the same person |
//! | Health | the last syncs, rejected records, and how old the data is |
//!
//! # Safety
//!
//! - The server listens on a loopback address, unless it has [TLS](Dashboard::tls) or is [behind a
//!   proxy](Dashboard::behind_proxy).
//! - The first URL has a token that works once. It sets a cookie that scripts cannot read and that other sites cannot
//!   send.
//! - A request with another `Host` or `Origin` is refused, so that no other site reaches the pages by its own name.
//! - Only `GET` and `HEAD` are allowed, and `POST` for the login. Nothing is written except
//!   [indexes](Dashboard::index).
//! - [Readers](Dashboard::readers) log in with a password. Their sessions expire, and login attempts are limited.
//! - A policy in each response forbids scripts, frames, and anything from elsewhere. Nothing may be stored in a cache.
//! - With [`Dashboard::mask`], personal values are hidden until a reader reveals a single record.
//!
//! A cookie belongs to a host, not to a port: another server on this machine receives it if the same browser visits it.
//!
//! # Modules
//!
//! - `dashboard` is the entry point. `serve` answers the requests on each connection, `access` decides which requests
//!   are answered, and `login` manages readers with passwords.
//! - `app` routes requests to the pages: `today`, `board`, `duplicates`, `records`, `record`, `changes`, `health` and
//!   `problem`. The template of each page is beside it.
//! - `download` sends all records of a view, in a format that the program provides.
//! - `outline` has the service's tables, and `shared` has what all pages use. `frame` is the layout around a page.
//! - `cells`, `link`, `time` and `words` write values, links, times and names.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod access;
mod app;
mod board;
mod cells;
mod changes;
mod dashboard;
mod download;
mod duplicates;
mod frame;
mod health;
mod link;
mod login;
mod outline;
mod problem;
mod record;
mod records;
mod serve;
mod shared;
mod time;
mod today;
mod words;

#[doc(no_inline)]
pub use methodical_mirror as mirror;

pub use crate::dashboard::{Dashboard, Error, Listening, Stopper};
pub use crate::download::format::{DownloadColumn, DownloadFormat, DownloadWriter};
pub use crate::login::Readers;
