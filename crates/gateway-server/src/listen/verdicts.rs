//! What the two sides of a connection tell each other: the guard that reads, and the answers that are written.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use tokio::time::Instant;

use crate::listen::head::Refusal;
use crate::lock::lock;

/// What the guard and the answers of its connection know of each other.
///
/// The library reads ahead, so what is wrong with the second request may be known before the first is answered: what
/// was found wrong is kept by the number of the request.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    refusal: Mutex<Option<(u64, Refusal)>>,
    answering: AtomicU32,
    began: Mutex<Option<Instant>>,
}

/// An answer that is being made or sent. Ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Answering(Arc<Verdicts>);

impl Answering {
    pub(crate) fn begin(verdicts: &Arc<Verdicts>) -> Self {
        verdicts.answering.fetch_add(1, Ordering::Relaxed);
        *lock(&verdicts.began) = Some(Instant::now());
        Self(Arc::clone(verdicts))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Verdicts {
    /// Returns why the request of this number is refused, if it is.
    pub(crate) fn of(&self, request: u64) -> Option<Refusal> {
        let verdict = *lock(&self.refusal);
        verdict.filter(|(number, _)| *number == request).map(|(_, refusal)| refusal)
    }

    pub(super) fn set(&self, request: u64, refusal: Refusal) {
        *lock(&self.refusal) = Some((request, refusal));
    }

    /// Returns when the last answer began, which is the one that is being sent if any is.
    pub(super) fn began(&self) -> Option<Instant> {
        *lock(&self.began)
    }

    pub(super) fn is_answering(&self) -> bool {
        self.answering.load(Ordering::Relaxed) > 0
    }
}
