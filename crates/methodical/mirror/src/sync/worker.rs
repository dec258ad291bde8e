//! A run on another thread, fed by an async task.

use std::future::poll_fn;
use std::mem::take;
use std::pin::Pin;
use std::sync::Arc;
use std::thread;

use futures_channel::{mpsc, oneshot};
use futures_core::Stream as _;
use methodical_model::Table;

use crate::engine::brake::Rules;
use crate::error::{Error, ErrorKind};
use crate::history::report::Report;
use crate::mirror::{self, Mirror};
use crate::run::Run;
use crate::sync::model::Model;

/// The sending side of a run. Dropping it before [`finish`](Self::finish) undoes the run.
pub(crate) struct Worker {
    sender: mpsc::Sender<Batch>,
    begun: Option<oneshot::Receiver<()>>,
    result: oneshot::Receiver<Result<Report, Error>>,
    batch: Batch,
}

/// A part of a list. The last one says that the list is complete.
#[derive(Default)]
struct Batch {
    /// The records as the service sent them, and the reasons of the rejected ones.
    text: String,
    items: Vec<Item>,
    is_last: bool,
}

struct Item {
    is_record: bool,
    /// Where its text ends.
    end: usize,
}

impl Worker {
    /// Starts the thread, which begins the run.
    pub(crate) fn start(
        mirror: &Mirror,
        scope: String,
        table: Table,
        rules: Rules,
        model: Model,
    ) -> Result<Self, Error> {
        let (sender, batches) = mpsc::channel(QUEUED);
        let (announce, begun) = oneshot::channel();
        let (give, result) = oneshot::channel();
        let (store, at) = (Arc::clone(&mirror.store), mirror::now(&mirror.clock));
        let work = move || {
            let run = mirror::begin(&store, &scope, &table, rules, at);
            let report = run.and_then(|mut run| {
                run.read_as(&model.reading)?;
                // Nobody waits any more: the batches end without a last one.
                let _dropped = announce.send(());
                feed(run, batches, &model)
            });
            let _dropped = give.send(report);
        };
        thread::Builder::new().name("methodical-mirror".to_owned()).spawn(work).map_err(
            |error| {
                Error::new(ErrorKind::Io, "cannot start the thread of the store").because(error)
            },
        )?;
        Ok(Self { sender, begun: Some(begun), result, batch: Batch::default() })
    }

    /// Waits until the run has begun.
    pub(crate) async fn ready(&mut self) -> Result<(), Error> {
        let Some(begun) = self.begun.take() else { return Ok(()) };
        match begun.await {
            Ok(()) => Ok(()),
            Err(_canceled) => Err(self.failure().await),
        }
    }

    /// Takes the next record as the service sent it. [`send_full`](Self::send_full) passes it on.
    #[expect(clippy::unnecessary_wraps, reason = "a run may fail at this point")]
    pub(crate) fn record(&mut self, sent: &str) -> Result<(), Error> {
        self.push(true, sent);
        Ok(())
    }

    pub(crate) async fn reject(&mut self, reason: &str) -> Result<(), Error> {
        self.push(false, reason);
        self.send_full().await
    }

    /// Sends the batch if it is full.
    pub(crate) async fn send_full(&mut self) -> Result<(), Error> {
        if self.batch.text.len() < BATCH { Ok(()) } else { self.send().await }
    }

    /// Says that the list is complete, and waits for its commit.
    pub(crate) async fn finish(mut self) -> Result<Report, Error> {
        self.batch.is_last = true;
        self.send().await?;
        match self.result.await {
            Ok(result) => result,
            Err(_canceled) => Err(ended()),
        }
    }

    fn push(&mut self, is_record: bool, text: &str) {
        self.batch.text.push_str(text);
        self.batch.items.push(Item { is_record, end: self.batch.text.len() });
    }

    async fn send(&mut self) -> Result<(), Error> {
        let batch = take(&mut self.batch);
        let is_ready = poll_fn(|context| self.sender.poll_ready(context)).await;
        if is_ready.and_then(|()| self.sender.start_send(batch)).is_err() {
            return Err(self.failure().await);
        }
        Ok(())
    }

    /// Returns the error that has ended the run.
    async fn failure(&mut self) -> Error {
        match (&mut self.result).await {
            Ok(Err(error)) => error,
            Ok(Ok(_)) | Err(_) => ended(),
        }
    }
}

/// Passes the batches into the run. If they end without a last one, the run is undone.
fn feed(
    mut run: Run<'_>,
    mut batches: mpsc::Receiver<Batch>,
    model: &Model,
) -> Result<Report, Error> {
    let mut next =
        || pollster::block_on(poll_fn(|context| Pin::new(&mut batches).poll_next(context)));
    while let Some(batch) = next() {
        let mut start = 0;
        for item in batch.items {
            let text = batch.text.get(start..item.end).unwrap_or_default();
            if item.is_record {
                run.sent(text, |json| (model.render)(text, json))?;
            } else {
                run.reject(text)?;
            }
            start = item.end;
        }
        if batch.is_last {
            return run.finish();
        }
    }
    Err(ended())
}

fn ended() -> Error {
    Error::new(ErrorKind::Store, "the sync was given up; nothing was changed")
}

/// Size of a batch, in bytes.
const BATCH: usize = 64 << 10;

/// Number of batches that may wait for the store.
const QUEUED: usize = 2;
