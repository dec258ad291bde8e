//! A list, piece by piece: pages by key of one snapshot, rendered as JSON.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use crate::error::Error;
use crate::front::list_cache::{KeptList, ListCache, QUICK, Recording};
use crate::generated::operation::{Frame, LIST_CANDIDATES, LIST_VACANCIES};
use crate::store::{CandidateFilter, Page, Snapshot, Store};

/// Gives the bytes of one list from first to last. Holds nothing of the database between two pieces.
#[derive(Debug)]
pub(crate) enum ListSource {
    /// Read from the database, page by page.
    Pages(Pages),
    /// Sent before, and kept.
    Kept(KeptList),
}

impl ListSource {
    /// Lists candidates. All of an account come from `cache`, or go there.
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

    /// Tells whether the last byte was given.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            Self::Pages(pages) => pages.after.is_none(),
            Self::Kept(kept) => kept.is_finished(),
        }
    }

    /// Gives the next bytes. Blocks for as long as the database or the disk takes.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Error> {
        match self {
            Self::Pages(pages) => pages.next(),
            Self::Kept(kept) => kept.next(),
        }
    }
}

/// Pages by key of one snapshot, rendered as JSON.
#[derive(Debug)]
pub(crate) struct Pages {
    store: Arc<dyn Store>,
    snapshot: Snapshot,
    rows: Rows,
    /// The id to go on after; `None` once the last byte was given.
    after: Option<i64>,
    /// How many records the next page has.
    limit: u32,
    asked: Option<Instant>,
    /// The last piece grew to this: the next begins with room for as much.
    room: usize,
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
        Self { store, snapshot, rows, after, limit: FIRST_ROWS, asked: None, room: 512, recording }
    }

    /// Reads and renders the next page. Blocks for as long as the database takes for it.
    fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let Some(after) = self.after else { return Ok(None) };
        let frame = self.rows.frame();
        let mut out = Vec::with_capacity(self.room);
        let mut first = after == Page::START;
        if first {
            out.extend_from_slice(frame.open.as_bytes());
        }
        let mut separate = |out: &mut Vec<u8>| {
            if !std::mem::take(&mut first) {
                out.push(b',');
            }
        };
        // Larger pages for a client that takes them quickly, so that one that does not holds little.
        let quick = self.asked.replace(Instant::now()).is_some_and(|asked| asked.elapsed() < QUICK);
        self.limit = if quick { MOST_ROWS.min(self.limit * 2) } else { FIRST_ROWS };
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
            // Only here: an answer that was cut before is no JSON text.
            out.extend_from_slice(frame.close.as_bytes());
        }
        self.recording = self.recording.take().and_then(|recording| recording.write(&out));
        if self.after.is_none() {
            let recorded = self.recording.take();
            // A list that fits into one piece is as quick to read again.
            recorded.filter(|_| after != Page::START).into_iter().for_each(Recording::finish);
        }
        self.room = out.len() + out.len() / 16;
        Ok(Some(Bytes::from(out)))
    }
}

/// A slow client holds pages of so many records.
const FIRST_ROWS: u32 = 256;

/// Still larger pages are no faster, and each reader holds two.
const MOST_ROWS: u32 = 512;
