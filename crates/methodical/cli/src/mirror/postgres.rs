//! Copies in PostgreSQL.

use methodical_mirror::Mirror;
#[cfg(feature = "mirror-postgres")]
use methodical_mirror::connector::{Connector, Options};

#[cfg(feature = "mirror-postgres")]
use crate::config::redact::redacted;
use crate::failure::Failure;
use crate::mirror::copy::Copied;
#[cfg(feature = "mirror-postgres")]
use crate::mirror::failure::unreadable;

/// Returns whether a text is the URL of a PostgreSQL database.
pub(crate) fn is_url(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| matches!(&*scheme, "postgres" | "postgresql"))
}

/// Copies a mirror. The schema follows the URL: `postgres://db/team#SCHEMA`.
#[cfg(feature = "mirror-postgres")]
pub(crate) fn copy(mirror: &mut Mirror, to: &str) -> Result<Copied, Failure> {
    let (url, schema) = to.split_once('#').unwrap_or((to, SCHEMA));
    let connector = Connector::new(url, Options::new("mirror")).map_err(|error| {
        Failure::usage("cannot use the URL of the copy").because(error.to_string())
    })?;
    let copied = mirror.copy_to_postgres(&connector, schema, &redacted(to));
    let copied = copied.map_err(|error| unreadable(&error))?;
    let tables = copied.tables.into_iter().map(|one| (one.table, one.written, one.removed));
    Ok(Copied { is_replaced: copied.is_replaced, tables: tables.collect() })
}

/// Refuses to copy: this build has no driver.
#[cfg(not(feature = "mirror-postgres"))]
pub(crate) fn copy(_mirror: &mut Mirror, _to: &str) -> Result<Copied, Failure> {
    Err(Failure::usage("cannot copy to PostgreSQL: this build has no support for it")
        .hint("build the program with the feature `mirror-postgres`"))
}

/// Schema of a copy whose URL names none.
#[cfg(feature = "mirror-postgres")]
const SCHEMA: &str = "mirror";
