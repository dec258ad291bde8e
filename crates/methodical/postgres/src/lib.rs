//! Connections to PostgreSQL as libpq opens them: TLS, passwords, several hosts, and a limit on every wait.
//!
//! A [`Connector`] reads the URL of a database once, with the environment variables and files of libpq. It then opens
//! any number of connections of the crate `postgres`. It knows no table.
//!
//! # Example
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use methodical_postgres::Connector;
//!
//! let url = "postgres://archive@db1.example,db2.example/archive?sslmode=verify-full";
//! let connector = Connector::new(url, "archive")?;
//! let mut client = connector.open_waiting(Duration::from_secs(60), |text| eprintln!("{text}"))?;
//! assert!(client.is_valid(Duration::from_secs(1)).is_ok());
//! # Ok::<(), methodical_postgres::Error>(())
//! ```
//!
//! # Settings
//!
//! The URL has the form `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?PARAMETER=VALUE`. These parameters have the
//! meaning that the [documentation of libpq] gives them. Other parameters are refused.
//!
//! | parameter | environment | meaning |
//! |---|---|---|
//! | `sslmode` | `PGSSLMODE` | `disable`, `prefer` (the default), `require`, `verify-ca` or `verify-full` |
//! | `sslrootcert` | `PGSSLROOTCERT` | file of trusted CAs, or `system`; the default of `verify-full` is `system` |
//! | `sslcert`, `sslkey` | `PGSSLCERT`, `PGSSLKEY` | client certificate and its key, PEM files |
//! | `sslnegotiation` | | `postgres` or `direct` |
//! | `channel_binding` | `PGCHANNELBINDING` | `disable`, `prefer` or `require` |
//! | `password` | `PGPASSWORD` | the password, if it is not in the URL |
//! | `passfile` | `PGPASSFILE` | the password file; `~/.pgpass` by default |
//! | `host`, `hostaddr`, `port` | | one or more hosts, in the order in which they are tried |
//! | `load_balance_hosts`, `target_session_attrs` | | which of several hosts are used |
//! | `connect_timeout` | | time limit in seconds of the attempt at each host |
//! | `tcp_user_timeout`, `keepalives`, `keepalives_idle`, `keepalives_interval`, `keepalives_retries` | | when the system closes a connection whose peer is gone |
//! | `application_name`, `options` | | as in libpq |
//!
//! # Differences from libpq
//!
//! - A wait always has a limit: timeouts that the URL does not set are 10 seconds.
//! - `sslmode=allow` is refused, because it never protects a connection.
//! - `Connector::open_waiting` warns of a connection to another machine that may be unencrypted or unverified.
//! - A password file or a private key that other users can access is an error. The group may read a file of root.
//! - The URL needs a host, also with `hostaddr`.
//! - In a password, `?` is `%3F`; in a parameter, `@` is `%40`, and several hosts are several parameters `host`.
//!
//! [documentation of libpq]: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS

#![cfg_attr(docsrs, feature(doc_cfg))]

mod connector;
mod error;
mod settings;
mod tls;

pub use crate::connector::Connector;
pub use crate::error::{Error, ErrorKind};
