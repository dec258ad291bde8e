//! Copies of a mirror in a database, which the mirror remembers.

mod failure;
mod postgres;
mod rows;

use methodical_postgres::Connector;

use crate::error::{Error, ErrorKind};
use crate::keep::copies::remember;
use crate::mirror::{Mirror, lock, now};

/// The result of [`Mirror::copy_to_postgres`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// Whether the copy was of another mirror, or of this one before it was restored, so that everything was copied again.
    pub is_replaced: bool,
    /// The tables, also those of the feed and the history.
    pub tables: Vec<CopiedTable>,
}

/// The copy of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopiedTable {
    /// The name of the table.
    pub table: String,
    /// How many rows were written.
    pub written: u64,
    /// How many rows of the copy were removed or replaced.
    pub removed: u64,
}

impl Mirror {
    /// Copies the mirror to a schema of a PostgreSQL database, or brings this copy up to date: the tables, their views, the
    /// feed and the history, in one transaction. Afterwards the copy equals the mirror.
    ///
    /// The mirror remembers the copy under the name `target`, which should have no password: [`forget`](Self::forget) names
    /// each copy that still holds the person, and the next copy removes her.
    ///
    /// The copy lacks the bookkeeping of the mirror: its secret, hashes, consumers and forgotten identities. U+0000, which
    /// PostgreSQL does not have in text, becomes U+FFFD. The thread is blocked, so do not call it from an async one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Foreign`] if the schema has other tables, [`ErrorKind::Busy`] if another process copies to it,
    /// [`ErrorKind::Unreachable`] and [`ErrorKind::Denied`] if the database cannot be reached or refuses. After an error, the
    /// copy is as it was before.
    ///
    /// ```no_run
    /// use methodical_mirror::Mirror;
    /// use methodical_mirror::connector::{Connector, Options};
    ///
    /// let mut mirror = Mirror::open_existing("mirror.db")?;
    /// let connector = Connector::new("postgres://team@db.example/team", Options::new("copy"))?;
    /// let copied = mirror.copy_to_postgres(&connector, "mirror", "the database of the team")?;
    /// println!("{} tables", copied.tables.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copy_to_postgres(
        &mut self,
        connector: &Connector,
        schema: &str,
        target: &str,
    ) -> Result<Copied, Error> {
        let at = now(&self.clock);
        let mut store = lock(&self.store);
        let Some(path) = store.path() else {
            let text = "cannot copy the mirror: it is in memory; use a file";
            return Err(Error::new(ErrorKind::Store, text));
        };
        // Before the copy, so that an erasure at the same time names it.
        remember(&mut store, target, Option::unwrap_or_default)?;
        let copied = postgres::copy(&path, connector, schema)?;
        remember(&mut store, target, |_| at)?;
        Ok(copied)
    }
}
