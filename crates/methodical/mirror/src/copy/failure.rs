//! Errors of PostgreSQL.

use std::error::Error as StdError;
use std::{fmt, io};

use ::postgres::error::{DbError, SqlState};

use crate::error::{Error, ErrorKind};

/// The code of an error of PostgreSQL. Its text is dropped, because it may quote a row.
#[derive(Debug)]
struct Code(SqlState);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SQLSTATE {}", self.0.code())
    }
}

impl StdError for Code {}

/// Converts an error of a statement.
pub(crate) fn failed_in(sql: &str, error: ::postgres::Error) -> Error {
    let Some(cause) = error.as_db_error() else {
        let is_lost =
            error.is_closed() || error.source().is_some_and(<dyn StdError>::is::<io::Error>);
        let (kind, text) =
            if is_lost { (ErrorKind::Unreachable, LOST) } else { (ErrorKind::Store, FAILED) };
        return Error::new(kind, text).because(error);
    };
    let state = cause.code().clone();
    let (kind, text) = match state.code() {
        "53100" => (ErrorKind::Store, "cannot write the copy: the disk of the database is full"),
        "40001" | "40P01" | "55P03" => {
            (ErrorKind::Busy, "another session uses the tables of the copy; try again later")
        }
        "57014" => (
            ErrorKind::Store,
            "a statement was cancelled; raise `statement_timeout` of the role, then try again",
        ),
        "42501" => return denied(sql, cause),
        "25006" => {
            (ErrorKind::Denied, "cannot write the copy: the database is read-only; use its primary")
        }
        "57P01" | "57P02" | "57P03" => {
            (ErrorKind::Unreachable, "the database is stopping or starting; try again")
        }
        "XX001" | "XX002" => (ErrorKind::Foreign, "cannot read the copy: the database is damaged"),
        _ => (ErrorKind::Store, FAILED),
    };
    Error::new(kind, text).because(Code(state))
}

/// Names the privilege that the role lacks. The text of the database has the name of the table or schema, and no row.
fn denied(sql: &str, cause: &DbError) -> Error {
    let right = match sql.split_whitespace().next() {
        Some("COPY") => "the privilege INSERT".to_owned(),
        Some(verb @ ("SELECT" | "INSERT" | "UPDATE" | "DELETE")) => format!("the privilege {verb}"),
        _ => "a privilege".to_owned(),
    };
    let text = format!(
        "cannot write the copy: the database role lacks {right} ({}); grant it, or use the role that created the copy",
        cause.message()
    );
    Error::new(ErrorKind::Denied, text).because(Code(cause.code().clone()))
}

/// Creates the error of a connection that was closed.
pub(crate) fn lost() -> Error {
    Error::new(ErrorKind::Unreachable, LOST)
}

/// Converts an error of the connector, which names the cause and the next step.
pub(crate) fn not_connected(error: methodical_postgres::Error) -> Error {
    use methodical_postgres::ErrorKind as Cause;

    let kind = match error.kind() {
        Cause::Busy | Cause::Unreachable => ErrorKind::Unreachable,
        _ => ErrorKind::Denied,
    };
    Error::new(kind, format!("cannot connect to the database: {error}")).because(error)
}

const FAILED: &str = "cannot write the copy";

const LOST: &str = "the connection to the database was lost; try again";
