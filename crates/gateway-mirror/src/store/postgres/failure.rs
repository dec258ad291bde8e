//! Errors of PostgreSQL.

use std::fmt;

use ::postgres::error::SqlState;

use crate::error::{Error, ErrorKind};

/// The code of an error of PostgreSQL. Its text is dropped, because it may quote a row.
#[derive(Debug)]
struct Code(SqlState);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SQLSTATE {}", self.0.code())
    }
}

impl std::error::Error for Code {}

/// Converts an error of PostgreSQL.
pub(crate) fn failed(error: ::postgres::Error) -> Error {
    let Some(state) = error.code().cloned() else {
        let text = if error.is_closed() || error.as_db_error().is_none() {
            "the connection to the database was lost; try again"
        } else {
            FAILED
        };
        return Error::new(ErrorKind::Store, text).because(error);
    };
    let (kind, text) = match state.code() {
        "53100" => (ErrorKind::Store, "cannot write the mirror: the disk of the database is full"),
        "40001" | "40P01" | "55P03" => {
            (ErrorKind::Busy, "another session uses the tables of the mirror; try again later")
        }
        "57014" => (
            ErrorKind::Store,
            "a statement was cancelled; raise `statement_timeout` of the role, then try again",
        ),
        "42501" => (
            ErrorKind::Store,
            "the database role lacks a privilege on the schema of the mirror; grant it, or use another role",
        ),
        "25006" => (
            ErrorKind::Store,
            "cannot write the mirror: the database is read-only; use its primary",
        ),
        "57P01" | "57P02" | "57P03" => {
            (ErrorKind::Store, "the database is stopping or starting; try again")
        }
        "XX001" | "XX002" => {
            (ErrorKind::Foreign, "cannot read the mirror: the database is damaged")
        }
        _ => (ErrorKind::Store, FAILED),
    };
    Error::new(kind, text).because(Code(state))
}

/// Converts an error of the connector, which names the cause and the next step.
pub(crate) fn not_connected(error: gateway_postgres::Error) -> Error {
    let text = format!("cannot connect to the database: {error}");
    Error::new(ErrorKind::Store, text).because(error)
}

const FAILED: &str = "cannot read or write the mirror";
