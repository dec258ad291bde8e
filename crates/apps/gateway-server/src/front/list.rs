//! A list in pieces: pages of one snapshot, read by key and rendered as JSON.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use crate::error::Error;
use crate::front::list_cache::{Asked, CachedList, ListCache, QUICK, Recording};
use crate::generated::call::Call;
use crate::listen::pieces::Piece;
use crate::records::{Frame, Records};
use crate::store::{Cursor, Page, Principal, Snapshot, Store};

/// The bytes of one list, in pieces. Holds no database resource between two pieces.
#[derive(Debug)]
pub(crate) enum ListSource {
    /// Reads from the database, page by page.
    Pages(Pages),
    /// Reads a cached list.
    Cached(CachedList),
}

impl ListSource {
    /// Creates the source of a response that is a list. The list of all candidates is read from `cache`, or recorded
    /// there.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        principal: &Principal,
        call: Call,
        frame: Frame,
        cache: &Arc<ListCache>,
    ) -> Self {
        let mut recording = None;
        let snapshot = principal.snapshot;
        if lists_all_candidates(&call) {
            let asked = Asked { snapshot, version: principal.versions.candidates };
            let cached = cache.get(asked);
            cache.usage.asked(cached.is_some());
            if let Some(cached) = cached {
                return Self::Cached(cached);
            }
            recording = cache.record(asked);
        }
        Self::Pages(Pages {
            store,
            snapshot,
            call,
            frame,
            next: Some(Cursor::START),
            limit: FIRST_ROWS,
            asked: None,
            capacity: 512,
            recording,
        })
    }

    /// Returns whether the last byte was returned.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            Self::Pages(pages) => pages.next.is_none(),
            Self::Cached(cached) => cached.is_finished(),
        }
    }

    /// Returns the next bytes as a part of the file of a cached list, if the system can send it without waiting for the
    /// disk.
    pub(crate) fn in_file(&mut self) -> Option<Piece> {
        match self {
            Self::Pages(_) => None,
            Self::Cached(cached) => cached.in_file(),
        }
    }

    /// Returns how many bytes are left, if that is known.
    pub(crate) fn left(&self) -> Option<u64> {
        match self {
            Self::Pages(_) => None,
            Self::Cached(cached) => Some(cached.left()),
        }
    }

    /// Returns the next piece. Blocks on the database or the disk.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Error> {
        match self {
            Self::Pages(pages) => pages.next(),
            Self::Cached(cached) => cached.next(),
        }
    }
}

/// Pages of one snapshot, read by key and rendered as JSON.
#[derive(Debug)]
pub(crate) struct Pages {
    store: Arc<dyn Store>,
    snapshot: Snapshot,
    call: Call,
    frame: Frame,
    /// Where the next page begins; `None` after the last page.
    next: Option<Cursor>,
    /// Maximum number of records in the next page.
    limit: u32,
    /// When the previous page was asked for.
    asked: Option<Instant>,
    /// Capacity to allocate for the next piece, from the length of the last one.
    capacity: usize,
    recording: Option<Recording>,
}

impl Pages {
    /// Reads and renders the next page. Blocks on the database.
    fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let Some(from) = self.next else { return Ok(None) };
        let mut out = Vec::with_capacity(self.capacity);
        let is_first = from.is_start();
        if is_first {
            out.extend_from_slice(self.frame.open.as_bytes());
        }
        // Pages grow for a fast client, so that a slow one holds little memory.
        let quick = self.asked.replace(Instant::now()).is_some_and(|asked| asked.elapsed() < QUICK);
        self.limit = if quick { MAX_ROWS.min(self.limit * 2) } else { FIRST_ROWS };
        let page = Page { from, limit: self.limit };
        let records = &mut Records::new(&mut out, is_first);
        self.next = self.call.fetch(&*self.store, self.snapshot, page, records)?;
        if self.next.is_none() {
            // Closed only here, so that a truncated response is never valid JSON.
            out.extend_from_slice(self.frame.close.as_bytes());
        }
        let recording = self.recording.take();
        self.recording = recording.and_then(|recording| recording.write(&*self.store, &out));
        if self.next.is_none() {
            let recorded = self.recording.take();
            // A list of one piece is not cached: reading it again takes no longer.
            recorded.filter(|_| !is_first).into_iter().for_each(Recording::finish);
        }
        self.capacity = out.len() + out.len() / 16;
        Ok(Some(Bytes::from(out)))
    }
}

/// Returns whether a call lists all candidates: the longest response of an account, and the only one that is cached.
fn lists_all_candidates(call: &Call) -> bool {
    matches!(call, Call::ListCandidates(parameters) if parameters.vacancy_id.is_none())
}

/// Records in a page for a slow client.
const FIRST_ROWS: u32 = 256;

/// Records in a page for a fast client. Larger pages are not faster, and each response holds two.
const MAX_ROWS: u32 = 512;
