//! A list in pieces: pages of one snapshot, read by key and rendered as JSON.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use crate::error::Error;
use crate::front::list_cache::{KeptList, ListCache, QUICK, Recording};
use crate::generated::operation::{Frame, LIST_CANDIDATES, LIST_VACANCIES};
use crate::store::{CandidateFilter, Page, Snapshot, Store};

/// The bytes of one list, in pieces. Holds no database resource between two pieces.
#[derive(Debug)]
pub(crate) enum ListSource {
    /// Reads from the database, page by page.
    Pages(Pages),
    /// Reads a kept list.
    Kept(KeptList),
}

impl ListSource {
    /// Lists candidates. The unfiltered list is read from `cache`, or recorded there.
    pub(crate) fn candidates(
        store: Arc<dyn Store>,
        snapshot: Snapshot,
        filter: CandidateFilter,
        cache: &Arc<ListCache>,
    ) -> Self {
        let mut recording = None;
        if filter == CandidateFilter::All {
            if let Some(kept) = cache.get(snapshot) {
                return Self::Kept(kept);
            }
            recording = cache.record(snapshot);
        }
        Self::Pages(Pages::new(store, snapshot, Rows::Candidates(filter), recording))
    }

    /// Lists all vacancies.
    pub(crate) fn vacancies(store: Arc<dyn Store>, snapshot: Snapshot) -> Self {
        Self::Pages(Pages::new(store, snapshot, Rows::Vacancies, None))
    }

    /// Returns whether the last byte was returned.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            Self::Pages(pages) => pages.after.is_none(),
            Self::Kept(kept) => kept.is_finished(),
        }
    }

    /// Returns the next piece. Blocks on the database or the disk.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Error> {
        match self {
            Self::Pages(pages) => pages.next(),
            Self::Kept(kept) => kept.next(),
        }
    }
}

/// Pages of one snapshot, read by key and rendered as JSON.
#[derive(Debug)]
pub(crate) struct Pages {
    store: Arc<dyn Store>,
    snapshot: Snapshot,
    rows: Rows,
    /// Id of the last record read; `None` after the last page.
    after: Option<i64>,
    /// Maximum number of records in the next page.
    limit: u32,
    /// When the previous page was asked for.
    asked: Option<Instant>,
    /// Capacity to allocate for the next piece, from the length of the last one.
    capacity: usize,
    recording: Option<Recording>,
}

#[derive(Debug)]
enum Rows {
    Candidates(CandidateFilter),
    Vacancies,
}

impl Rows {
    const fn frame(&self) -> Frame {
        match self {
            Self::Candidates(_) => LIST_CANDIDATES,
            Self::Vacancies => LIST_VACANCIES,
        }
    }
}

impl Pages {
    fn new(
        store: Arc<dyn Store>,
        snapshot: Snapshot,
        rows: Rows,
        recording: Option<Recording>,
    ) -> Self {
        let after = Some(Page::START);
        Self {
            store,
            snapshot,
            rows,
            after,
            limit: FIRST_ROWS,
            asked: None,
            capacity: 512,
            recording,
        }
    }

    /// Reads and renders the next page. Blocks on the database.
    fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let Some(after) = self.after else { return Ok(None) };
        let frame = self.rows.frame();
        let mut out = Vec::with_capacity(self.capacity);
        let mut first = after == Page::START;
        if first {
            out.extend_from_slice(frame.open.as_bytes());
        }
        let mut separate = |out: &mut Vec<u8>| {
            if !std::mem::take(&mut first) {
                out.push(b',');
            }
        };
        // Pages grow for a fast client, so that a slow one holds little memory.
        let quick = self.asked.replace(Instant::now()).is_some_and(|asked| asked.elapsed() < QUICK);
        self.limit = if quick { MAX_ROWS.min(self.limit * 2) } else { FIRST_ROWS };
        let page = Page { after, limit: self.limit };
        self.after = match &self.rows {
            Rows::Candidates(filter) => {
                self.store.candidates(self.snapshot, filter, page, &mut |record| {
                    separate(&mut out);
                    out.extend_from_slice(record);
                })
            }
            Rows::Vacancies => self.store.vacancies(self.snapshot, page, &mut |row| {
                separate(&mut out);
                row.write(&mut out);
            }),
        }?;
        if self.after.is_none() {
            // Closed only here, so that a truncated answer is never valid JSON.
            out.extend_from_slice(frame.close.as_bytes());
        }
        self.recording = self.recording.take().and_then(|recording| recording.write(&out));
        if self.after.is_none() {
            let recorded = self.recording.take();
            // A list of one piece is not kept: reading it again takes no longer.
            recorded.filter(|_| after != Page::START).into_iter().for_each(Recording::finish);
        }
        self.capacity = out.len() + out.len() / 16;
        Ok(Some(Bytes::from(out)))
    }
}

/// Records in a page for a slow client.
const FIRST_ROWS: u32 = 256;

/// Records in a page for a fast client. Larger pages are not faster, and each answer holds two.
const MAX_ROWS: u32 = 512;
