//! A list in pieces: pages of one snapshot, read by key and rendered as JSON.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::error::Error;
use crate::generated::call::Call;
use crate::records::{Frame, Records};
use crate::store::{Cursor, Page, Principal, Snapshot, Store};

/// The bytes of one list, in pages. Holds no database resource between two pages.
#[derive(Debug)]
pub(crate) struct ListSource {
    store: Arc<Store>,
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
}

impl ListSource {
    /// Creates the source of a response that is a list.
    pub(crate) fn new(store: Arc<Store>, principal: &Principal, call: Call, frame: Frame) -> Self {
        Self {
            store,
            snapshot: principal.snapshot,
            call,
            frame,
            next: Some(Cursor::START),
            limit: FIRST_ROWS,
            asked: None,
            capacity: 512,
        }
    }

    /// Returns whether the last byte was returned.
    pub(crate) fn is_finished(&self) -> bool {
        self.next.is_none()
    }

    /// Reads and renders the next page. Blocks on the database.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let Some(from) = self.next else { return Ok(None) };
        let mut out = Vec::with_capacity(self.capacity);
        let is_first = from == Cursor::START;
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
        self.capacity = out.len() + out.len() / 16;
        Ok(Some(Bytes::from(out)))
    }
}

/// Records in a page for a slow client.
const FIRST_ROWS: u32 = 256;

/// Records in a page for a fast client. Larger pages are not faster, and each response holds two.
const MAX_ROWS: u32 = 512;

/// Time between two pages within which a fast client asks for the next.
const QUICK: Duration = Duration::from_millis(20);
