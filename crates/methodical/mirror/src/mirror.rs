//! The entry point: a store, and what can be done with it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use methodical_model::Table;

use crate::engine::brake::Rules;
use crate::error::Error;
use crate::feed::change::Change;
use crate::feed::consumer::check_unneeded;
use crate::feed::cursor::{Cursor, refused};
use crate::fields::shape::Shape;
use crate::history::status::TableStatus;
use crate::recovery::rota::{self, Rota};
use crate::run::Run;
use crate::source::Source;
use crate::store::Store;
use crate::store::data::Scope;

/// A copy of the lists of one account, and the feed of their changes.
///
/// # Examples
///
/// ```
/// use methodical_mirror::model::{Column, Table};
/// use methodical_mirror::{ChangeKind, Mirror, Rules};
///
/// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
///
/// let mut mirror = Mirror::in_memory()?;
/// for list in [
///     &[r#"{"id":"1","title":"Harbour"}"#][..],
///     &[r#"{"id":"1","title":"Lighthouse"}"#, r#"{"id":"2"}"#],
/// ] {
///     let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
///     for record in list {
///         run.record(record)?;
///     }
///     run.finish()?;
/// }
/// let (changes, cursor) = mirror.changes(None, 100)?;
/// assert_eq!(changes[0].kind, ChangeKind::Changed);
/// assert_eq!(changes[0].fields, ["title"]);
/// assert_eq!((changes[1].kind, &*changes[1].id), (ChangeKind::Added, "2"));
/// assert!(mirror.changes(Some(&cursor), 100)?.0.is_empty());
/// # Ok::<(), methodical_mirror::Error>(())
/// ```
pub struct Mirror {
    pub(crate) store: Arc<Mutex<Store>>,
    pub(crate) clock: Clock,
}

/// Returns the time.
pub(crate) type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

impl Mirror {
    /// Creates a mirror in memory, for tests and examples. It is lost when it is dropped, and has no backups.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the operating system has no random numbers, and
    /// [`Store`](crate::ErrorKind::Store) if SQLite fails.
    pub fn in_memory() -> Result<Self, Error> {
        Ok(Self::over(Store::in_memory()?))
    }

    /// Creates a mirror over a store.
    pub(crate) fn over(store: Store) -> Self {
        Self { store: Arc::new(Mutex::new(store)), clock: Arc::new(SystemTime::now) }
    }

    /// Returns whether the mirror is made from this source. Only a keyed hash of the source is stored, so a mirror cannot name
    /// its source.
    ///
    /// ```
    /// use methodical_mirror::{Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("mirror.db");
    /// let [me, you] = ["me", "you"].map(|name| Source::new("https://gateway.example.com", name));
    /// drop(Mirror::open(&path, &me)?);
    /// let mirror = Mirror::open_existing(&path)?;
    /// assert!(mirror.is_of(&me) && !mirror.is_of(&you));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_of(&self, source: &Source) -> bool {
        source.is_of(lock(&self.store).identity())
    }

    /// Returns whether this access token was noted last; `None` if none was.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn knows_token(&self, token: &str) -> Result<Option<bool>, Error> {
        let mut store = lock(&self.store);
        let mark = store.identity().mark(token);
        Ok(store.note(TOKEN)?.map(|noted| noted == mark))
    }

    /// Notes the access token of a sync, so that readers can tell that it was replaced. A short keyed hash is stored, from which
    /// the token cannot be found.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// # fn main() -> Result<(), Error> {
    /// let mut mirror = Mirror::in_memory()?;
    /// assert_eq!(mirror.knows_token("first")?, None);
    /// mirror.note_token("first")?;
    /// assert_eq!(mirror.knows_token("first")?, Some(true));
    /// assert_eq!(mirror.knows_token("second")?, Some(false));
    /// # Ok(())
    /// # }
    /// ```
    pub fn note_token(&mut self, token: &str) -> Result<(), Error> {
        let mut store = lock(&self.store);
        let mark = store.identity().mark(token);
        if store.note(TOKEN)?.as_ref() != Some(&mark) {
            store.set_note(TOKEN, &mark)?;
        }
        Ok(())
    }

    /// Sets the clock that dates rows and changes. It decides only when a failed delivery is attempted again.
    #[must_use]
    pub fn with_clock(self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(now), ..self }
    }

    /// Begins a sync of a scope, whose name is that of its list.
    ///
    /// The table belongs to this scope from now on. A new column of its description is added to it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process syncs the mirror, and
    /// [`Table`](crate::ErrorKind::Table) if the description is invalid, or does not fit the existing table.
    pub fn begin(&mut self, scope: &str, table: &Table, rules: Rules) -> Result<Run<'_>, Error> {
        begin(&self.store, scope, table, rules, now(&self.clock))
    }

    /// Returns the changes after the cursor, at most `limit`, and the cursor after them. `None` begins with the oldest change
    /// that is kept.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Cursor`](crate::ErrorKind::Cursor) if the cursor belongs to another mirror, its changes were removed, or
    /// the mirror was restored from an older copy.
    pub fn changes(
        &self,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<(Vec<Change>, Cursor), Error> {
        let mut store = lock(&self.store);
        let feed = store.feed()?;
        let position = match after {
            Some(cursor) => cursor.position(store.identity())?,
            None => feed.pruned,
        };
        if position < feed.pruned {
            return Err(refused("the changes after the cursor were removed"));
        }
        if position > feed.last {
            return Err(refused("the mirror is older than the cursor"));
        }
        let changes = store.changes(position, limit)?;
        let position = changes.last().map_or(position, |change| change.number);
        let cursor = Cursor::new(store.identity(), position);
        Ok((changes, cursor))
    }

    /// Returns the cursor after the last change. Take it before a snapshot of the records.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn cursor(&self) -> Result<Cursor, Error> {
        let mut store = lock(&self.store);
        let last = store.feed()?.last;
        Ok(Cursor::new(store.identity(), last))
    }

    /// Returns the cursor after a change of this mirror.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// /// Prints each change with the cursor from which a reader goes on.
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     for change in mirror.changes(None, 100)?.0 {
    ///         println!("{} {} {}", change.kind.as_str(), change.id, mirror.cursor_after(&change));
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn cursor_after(&self, change: &Change) -> Cursor {
        Cursor::new(lock(&self.store).identity(), change.number)
    }

    /// Returns the state of each table, in the order of their names.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use methodical_mirror::model::{Column, Table};
    /// use methodical_mirror::{Mirror, Rules};
    ///
    /// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"])]);
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
    /// run.record(r#"{"id":"1"}"#)?;
    /// run.finish()?;
    /// let tables = mirror.tables()?;
    /// assert_eq!((&*tables[0].table, tables[0].present), ("photo", 1));
    /// assert!(tables[0].completed_at.is_some());
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn tables(&self) -> Result<Vec<TableStatus>, Error> {
        tables(&mut lock(&self.store))
    }

    /// Removes the changes up to the cursor. Older cursors are refused from now on.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Cursor`](crate::ErrorKind::Cursor) if the cursor belongs to another mirror, and
    /// [`Consumer`](crate::ErrorKind::Consumer) if a consumer has not received the changes, also a disabled one.
    pub fn prune(&mut self, until: &Cursor) -> Result<(), Error> {
        let mut store = lock(&self.store);
        let position = until.position(store.identity())?;
        check_unneeded(&store.consumers()?, store.feed()?.pruned, position)?;
        store.prune(position)
    }
}

/// Returns the state of each table, also since when the values of recovered ones are known.
fn tables(store: &mut Store) -> Result<Vec<TableStatus>, Error> {
    let mut tables = store.tables()?;
    for status in &mut tables {
        if let Some(note) = store.note(&rota::note(&status.table))? {
            status.values_from = Rota::read(Some(&note))?.oldest();
        }
    }
    Ok(tables)
}

pub(crate) fn begin<'a>(
    store: &'a Mutex<Store>,
    scope: &str,
    table: &Table,
    rules: Rules,
    at: i64,
) -> Result<Run<'a>, Error> {
    let shape = Shape::of(table)?;
    Run::begin(lock(store), Scope { name: scope, table: table.name() }, shape, rules, at)
}

/// A panic in a run has rolled back its transaction, so the store is usable.
pub(crate) fn lock(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the time in seconds since 1970.
pub(crate) fn now(clock: &Clock) -> i64 {
    let since = clock().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

impl fmt::Debug for Mirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mirror").finish_non_exhaustive()
    }
}

/// The note with the access token of the last sync, as a short hash.
const TOKEN: &str = "token";
