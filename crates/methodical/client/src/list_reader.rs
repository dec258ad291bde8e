//! The list of one response: what is decoded and received between two records.

use http::Response;
use http::response::Parts;
use methodical_model::{Beside, Next, Record, StreamDecoder};

use crate::clock::now;
use crate::engine::Receive;
use crate::limit::Limit;
use crate::pace::Permit;
use crate::trace::{CallSpan, RejectedPaths};
use crate::{Entry, Error};

/// The result of decoding what has been received.
pub(crate) enum Step<T> {
    Entry(Result<Entry<T>, Error>),
    /// More must be requested or received.
    NeedMore,
    End,
}

/// The list of one response that is being read.
pub(crate) struct ListReader<T, S, B> {
    body: B,
    span: CallSpan,
    decoder: StreamDecoder<T, S>,
    /// The head of the response, until an error takes it over.
    head: Option<Parts>,
    attempts: u32,
    /// The limit of the last byte of the list.
    end: Limit,
    permit: Permit,
    /// Whether a rejected record is an error.
    is_strict: bool,
    delivered: u64,
    rejected: RejectedPaths,
    /// The list has ended, with its last record or with an error.
    is_over: bool,
}

impl<T: Record, S: Beside, B> ListReader<T, S, B> {
    /// Sets the maximum size of a record, in bytes.
    pub(crate) fn limit_records(mut self, bytes: usize) -> Self {
        self.decoder = self.decoder.with_record_limit(bytes);
        self
    }

    /// Returns the fields beside the list, once it has ended without an error.
    pub(crate) fn beside(&self) -> Option<&S> {
        self.decoder.beside()
    }
}

impl<T: Record, S: Beside, B: Default> ListReader<T, S, B> {
    pub(crate) fn new(
        response: Response<B>,
        decoder: StreamDecoder<T, S>,
        (attempts, end): (u32, Limit),
        span: CallSpan,
        permit: Permit,
        is_strict: bool,
    ) -> Self {
        let (head, body) = response.into_parts();
        Self {
            body,
            span,
            decoder,
            head: Some(head),
            attempts,
            end,
            permit,
            is_strict,
            delivered: 0,
            rejected: RejectedPaths::default(),
            is_over: false,
        }
    }

    /// Decodes the next record of what has been received.
    pub(crate) fn step<X>(&mut self, take: impl FnOnce(T::Ref<'_>, &str) -> X) -> Step<X> {
        if self.is_over {
            return Step::End;
        }
        match self.decoder.next_json_with(take) {
            Ok(Next::Item(record)) => {
                self.delivered += 1;
                Step::Entry(Ok(Entry::Record(record)))
            }
            Ok(Next::Rejected(rejected)) if self.is_strict => {
                Step::Entry(Err(self.fail(rejected.error().clone().into())))
            }
            Ok(Next::Rejected(rejected)) => {
                self.rejected.add(&rejected);
                Step::Entry(Ok(Entry::Rejected(rejected)))
            }
            Ok(Next::End) => {
                self.finish();
                Step::End
            }
            Ok(_) => Step::NeedMore,
            Err(error) => Step::Entry(Err(self.fail(error.into()))),
        }
    }

    /// Receives the next chunk of the body, or its end.
    pub(crate) async fn receive(&mut self) -> Result<(), Error>
    where
        B: Receive,
    {
        match self.span.around(self.body.chunk()).await {
            Ok(Some(chunk)) => self.decoder.push(&chunk),
            Ok(None) => self.decoder.finish(),
            Err(error) => {
                let error = self.end.error(error, now());
                return Err(self.fail(error));
            }
        }
        Ok(())
    }

    /// Ends the list with an error that says how many records came before it.
    fn fail(&mut self, error: Error) -> Error {
        self.span.failed(&error);
        self.finish();
        let error = error.after_attempts(self.attempts).after_records(self.delivered);
        match self.head.take() {
            Some(head) => error.with_head(head),
            None => error,
        }
    }

    fn finish(&mut self) {
        self.is_over = true;
        self.span.rejected(&self.rejected);
        self.span.end_after(self.delivered);
        // Without the body, the connection returns to the pool or is closed.
        self.body = B::default();
        self.permit = None;
    }
}
