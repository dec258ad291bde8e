//! The entry point: a mirror in a file, its records, and the account and service that it copies.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::{Error, debug_with};
use crate::fields::{Hasher, Secret, hex};
use crate::recovery::References;
use crate::store::filter::Filter;
use crate::store::page::{Order, Paging};
use crate::store::rows::{PAGE, Record, Stored};
use crate::store::table::TableStatus;
use crate::store::{Store, quoted};

/// A copy of one account's lists, and the feed of changes. Use it to query the lists often, or to learn what changed.
///
/// ```
/// use methodical_mirror::model::tables::{Column, Table};
/// use methodical_mirror::{ChangeKind, Mirror, Rules};
///
/// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
///
/// let mut mirror = Mirror::in_memory()?;
/// for list in [
///     &[r#"{"id":"1","title":"Harbour"}"#][..],
///     &[r#"{"id":"1","title":"Lighthouse"}"#, r#"{"id":"2"}"#],
/// ] {
///     let mut run = mirror.begin("photos/list", &PHOTO, Rules::default())?;
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
    store: Mutex<Store>,
    clock: Clock,
}

type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

impl Mirror {
    /// Opens the mirror in a SQLite file, or creates it. A new file or folder is readable only by its owner.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OtherSource`](crate::ErrorKind::OtherSource) if the mirror belongs to another source,
    /// [`Newer`](crate::ErrorKind::Newer) or [`Foreign`](crate::ErrorKind::Foreign) if it is not a mirror that this
    /// release can read, [`Io`](crate::ErrorKind::Io) if other users may read the file, and
    /// [`Store`](crate::ErrorKind::Store) if SQLite fails.
    ///
    /// ```
    /// use methodical_mirror::{ErrorKind, Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("mirror.db");
    /// drop(Mirror::open(&path, &Source::new("https://gateway.example.com", "me"))?);
    /// let error = Mirror::open(&path, &Source::new("https://gateway.example.com", "you")).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::OtherSource);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: impl AsRef<Path>, source: &Source) -> Result<Self, Error> {
        Ok(Self::new(Store::open(path.as_ref(), Some(source))?))
    }

    /// Opens the mirror in an existing SQLite file, of any source. Use this to read a mirror or remove records from it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](crate::ErrorKind::Io) if the file does not exist, and the errors of
    /// [`open`](Self::open) except [`OtherSource`](crate::ErrorKind::OtherSource).
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self::new(Store::open(path.as_ref(), None)?))
    }

    /// Creates a mirror in memory, for tests and examples. Its contents are lost when it is dropped; it has no backups.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](crate::ErrorKind::Io) if the operating system provides no random numbers, and
    /// [`Store`](crate::ErrorKind::Store) if SQLite fails.
    pub fn in_memory() -> Result<Self, Error> {
        Ok(Self::new(Store::in_memory()?))
    }

    fn new(store: Store) -> Self {
        Self { store: Mutex::new(store), clock: Arc::new(SystemTime::now) }
    }

    /// Sets the clock for the times of rows and changes. The clock also determines when a failed delivery is retried.
    #[must_use]
    pub fn with_clock(self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(now), ..self }
    }

    /// Locks the store. It stays usable after a panic, because a run that panics rolls its transaction back.
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time in seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        let since = (self.clock)().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    }

    /// Returns whether the mirror belongs to this source. Only a keyed hash of the source is stored.
    pub fn is_of(&self, source: &Source) -> bool {
        source.is_of(&self.store().identity)
    }

    /// Returns whether `token` is the access token of the last sync, or `None` if the last token is unknown.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn knows_token(&self, token: &str) -> Result<Option<bool>, Error> {
        let store = self.store();
        let mark = store.identity.mark("token", &[token.as_bytes()]);
        Ok(store.note(TOKEN)?.map(|noted| noted == mark))
    }

    /// Stores a short keyed hash of the access token that a sync used. The hash does not reveal the token, but lets
    /// readers notice that the token has been replaced.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read or written.
    pub fn note_token(&mut self, token: &str) -> Result<(), Error> {
        // A write waits while another process is syncing.
        if self.knows_token(token)? == Some(true) {
            return Ok(());
        }
        let store = self.store();
        store.set_note(TOKEN, &store.identity.mark("token", &[token.as_bytes()]))
    }

    /// Creates missing indexes, so that [`browse`](Self::browse) reads few rows of a table in these orders. A recovered
    /// table also gets indexes for [boards](crate::queries::board), for the members of a group, and for the
    /// [`latest_changes`](Self::latest_changes) of a record. Later syncs keep the indexes up to date.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process is syncing the mirror, and
    /// [`Table`](crate::ErrorKind::Table) if the mirror has no such table or columns.
    pub fn index(&mut self, table: &str, orders: &[Order]) -> Result<(), Error> {
        let mut store = self.store();
        orders.iter().try_for_each(|order| store.add_page_index(table, order))?;
        if !store.recovered()?.contains_key(table) {
            return Ok(());
        }
        let References { group, member, value } = store.relation(table)?.of;
        let [group, member, value] = [group.column, member.column, value].map(|name| quoted(&name));
        // For the members of all groups that have certain values; the index covers every compared column.
        let since = format!("(mirror_state, mirror_changed_at, mirror_key, {value})");
        store.add_index(table, "since", &since)?;
        for (name, columns) in
            [("value", format!("{group}, {value}")), ("group", group), ("member", member)]
        {
            let by = format!("(mirror_state, {columns}, mirror_changed_at)");
            store.add_index(table, name, &by)?;
        }
        store.add_index("mirror_change", "record", "(table_name, record_id)")
    }
}

impl Mirror {
    /// Returns a page of the records that the filter accepts, in the order of the paging.
    ///
    /// Continue with [`Page::next`]. A record that changes between two pages may be in both pages, or in neither. If
    /// the mirror has the [indexes](Self::index), a page reads a bounded number of rows.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Table`](crate::ErrorKind::Table) if the mirror has no such table, or the table has no such
    /// text column, and [`Cursor`](crate::ErrorKind::Cursor) if the record after which the page begins was removed,
    /// unless the order is insertion order. Also returns any error of the store.
    ///
    /// ```
    /// use methodical_mirror::{Error, Filter, Mirror, Order, Paging};
    ///
    /// /// Prints all photos in pages, ordered by title.
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     let mut paging = Paging { order: Order::Text("title".to_owned()), ..Paging::new(50) };
    ///     loop {
    ///         let page = mirror.browse("photo", &Filter::new(), &paging)?;
    ///         page.records.iter().for_each(|record| println!("{}", record.json));
    ///         if page.next.is_none() {
    ///             return Ok(());
    ///         }
    ///         paging.after = page.next;
    ///     }
    /// }
    /// ```
    pub fn browse(&self, table: &str, filter: &Filter, paging: &Paging) -> Result<Page, Error> {
        let (stored, next) = self.store().page(table, filter, paging)?;
        let records = stored.into_iter().map(Stored::into_record);
        Ok(Page { records: records.collect::<Result<_, _>>()?, next })
    }

    /// Passes each record of a table that the filter accepts to `take`, in insertion order, until it returns `Break`.
    ///
    /// Records are read in pages, so a sync that ends between two pages may change the records that follow.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`browse`](Self::browse).
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use methodical_mirror::{Error, Filter, Mirror};
    ///
    /// /// Prints the identities of the records that are new since a time.
    /// fn print(mirror: &Mirror, table: &str, since: i64) -> Result<(), Error> {
    ///     mirror.each_matching(table, &Filter::new().first_seen_since(since), |record| {
    ///         println!("{}", record.id);
    ///         ControlFlow::Continue(())
    ///     })
    /// }
    /// ```
    pub fn each_matching(
        &self,
        table: &str,
        filter: &Filter,
        mut take: impl FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut paging = Paging::new(PAGE);
        loop {
            let Page { records, next } = self.browse(table, filter, &paging)?;
            let is_over = records.into_iter().try_for_each(&mut take).is_break();
            match next {
                Some(_) if !is_over => paging.after = next,
                _ => return Ok(()),
            }
        }
    }

    /// Returns a record of a table by its identity, in any state, or `None` if the record or the table does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn json(mirror: &Mirror, id: &str) -> Result<Option<String>, Error> {
    ///     Ok(mirror.record("photo", id)?.map(|photo| photo.json))
    /// }
    /// ```
    pub fn record(&self, table: &str, id: &str) -> Result<Option<Record>, Error> {
        Ok(self.records_of(table, &[id])?.into_values().next())
    }

    /// Returns the records of a table whose identities are in `ids`, in any state, by identity. Without the table, the map is empty.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn records_of(&self, table: &str, ids: &[&str]) -> Result<HashMap<String, Record>, Error> {
        let store = self.store();
        let stored = ids.iter().filter_map(|id| store.record(table, id).transpose());
        let records = stored.map(|stored| stored?.into_record());
        records.map(|record| record.map(|record| (record.id.clone(), record))).collect()
    }

    /// Returns the state of each table, ordered by name.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     for one in mirror.tables()? {
    ///         println!("{}: {} records", one.table, one.present);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn tables(&self) -> Result<Vec<TableStatus>, Error> {
        let store = self.store();
        let mut tables = store.tables()?;
        for status in &mut tables {
            status.values_from = store.schedule(&status.table)?.oldest();
        }
        Ok(tables)
    }
}

debug_with!(Mirror:);

/// The account and the base URL that a mirror copies. A mirror refuses any other source.
///
/// The account is a name that you choose, such as the name of a profile. Keep the name when you renew the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    base_url: String,
    account: String,
}

impl Source {
    /// Creates a source from the client's base URL and the account's name.
    pub fn new(base_url: &str, account: &str) -> Self {
        // The host is case-insensitive; the path is not.
        let base_url = base_url.trim_end_matches('/');
        let (scheme, rest) = base_url.split_once("://").unwrap_or(("", base_url));
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let [scheme, host] = [scheme, host].map(str::to_ascii_lowercase);
        let base_url = format!("{scheme}://{host}{path}");
        Self { base_url, account: account.to_owned() }
    }

    /// Returns the keyed hash that the mirror stores in place of the source.
    pub(crate) fn fingerprint(&self, secret: &Secret) -> String {
        let hasher = Hasher::new(secret, "source");
        hex(&hasher.hash(&[self.base_url.as_bytes(), self.account.as_bytes()]).0)
    }

    pub(crate) fn is_of(&self, mirror: &Identity) -> bool {
        mirror.source == self.fingerprint(&mirror.secret)
    }
}

/// A mirror's identity and secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) id: [u8; 16],
    pub(crate) secret: Secret,
    /// The fingerprint of the mirror's source.
    pub(crate) source: String,
}

impl Identity {
    /// Returns the hasher for record identities.
    pub(crate) fn records(&self) -> Hasher {
        Hasher::new(&self.secret, "identity")
    }

    /// Returns a keyed hash of `parts` for one purpose, shortened to 8 hexadecimal digits.
    pub(crate) fn mark(&self, purpose: &str, parts: &[&[u8]]) -> String {
        hex(&Hasher::new(&self.secret, purpose).hash(parts).0).chars().take(8).collect()
    }
}

/// A page of a table's records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The records, in the order of the page.
    pub records: Vec<Record>,
    /// The [`Record::number`] after which the next page begins; `None` if this is the last page.
    pub next: Option<i64>,
}

/// The name of the note that stores the short hash of the last sync's access token.
const TOKEN: &str = "token";
