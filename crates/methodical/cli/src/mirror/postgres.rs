//! Mirrors in PostgreSQL.

use methodical_mirror::connector::{Connector, Options};
use methodical_mirror::{Mirror, Source};

use crate::failure::Failure;
use crate::mirror::failure::unreadable;

/// Opens the mirror of a source, or an existing one. The schema follows the URL: `postgres://db/team#SCHEMA`.
pub(crate) fn open(url: &str, source: Option<&Source>) -> Result<Mirror, Failure> {
    let (url, schema) = url.split_once('#').unwrap_or((url, SCHEMA));
    let connector = Connector::new(url, Options::new("mirror")).map_err(|error| {
        Failure::usage("cannot use the URL of the mirror").because(error.to_string())
    })?;
    let mirror = match source {
        Some(source) => Mirror::open_postgres(&connector, schema, source),
        None => Mirror::open_existing_postgres(&connector, schema),
    };
    mirror.map_err(|error| unreadable(&error))
}

/// Schema of a mirror whose URL names none.
const SCHEMA: &str = "mirror";
