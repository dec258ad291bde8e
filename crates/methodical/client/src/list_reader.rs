//! Decodes the records of a list from its body: what both kinds of `Records` share.

use std::fmt;

use bytes::Bytes;
use gateway_transport::TransportError;
use http::Response;
use http::response::Parts;
use methodical_model::{Beside, Next, Record, Rejected, StreamDecoder};

use crate::Error;
use crate::clock::now;
use crate::limit::Limit;
use crate::pace::Permit;
use crate::trace::CallSpan;

/// The next list entry: a record, or one that could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a record is decoded or rejected")]
pub enum Entry<T> {
    /// A record.
    Record(T),
    /// A record that could not be decoded. The records after it are still read.
    Rejected(Rejected),
}

/// A list that is being read.
pub(crate) struct ListReader<T, S, B> {
    pub(crate) body: B,
    pub(crate) span: CallSpan,
    decoder: StreamDecoder<T, S>,
    /// The head of the response, until an error takes it over.
    head: Option<Parts>,
    attempts: u32,
    /// The limit of the last byte of the list.
    end: Limit,
    permit: Permit,
    delivered: u64,
    /// The list has ended, with its last record or with an error.
    is_over: bool,
}

/// The result of decoding what has been received.
pub(crate) enum Step<T> {
    Entry(Result<Entry<T>, Error>),
    NeedMore,
    End,
}

impl<T: Record, S: Beside, B: Default> ListReader<T, S, B> {
    pub(crate) fn new(
        response: Response<B>,
        decoder: StreamDecoder<T, S>,
        attempts: u32,
        end: Limit,
        span: CallSpan,
        permit: Permit,
    ) -> Self {
        let (head, body) = response.into_parts();
        let head = Some(head);
        Self { body, span, decoder, head, attempts, end, permit, delivered: 0, is_over: false }
    }

    pub(crate) fn record_limit(mut self, bytes: usize) -> Self {
        self.decoder = self.decoder.with_record_limit(bytes);
        self
    }

    /// Returns the fields beside the list, once it has ended.
    pub(crate) fn beside(&self) -> Option<&S> {
        self.decoder.beside()
    }

    /// Decodes the next record of what has been received.
    pub(crate) fn step<O>(&mut self, take: impl FnOnce(T::Ref<'_>, &str) -> O) -> Step<O> {
        if self.is_over {
            return Step::End;
        }
        match self.decoder.next_json_with(take) {
            Ok(Next::Item(record)) => {
                self.delivered += 1;
                Step::Entry(Ok(Entry::Record(record)))
            }
            Ok(Next::Rejected(rejected)) => Step::Entry(Ok(Entry::Rejected(rejected))),
            Ok(Next::End) => {
                self.finish();
                Step::End
            }
            Ok(_) => Step::NeedMore,
            Err(error) => Step::Entry(Err(self.fail(error.into()))),
        }
    }

    /// Takes the next chunk of the body, or its end.
    pub(crate) fn feed(
        &mut self,
        received: Result<Option<Bytes>, TransportError>,
    ) -> Result<(), Error> {
        match received {
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
        self.span.end_after(self.delivered);
        // Without the body, the connection returns to the pool or is closed.
        self.body = B::default();
        self.permit = None;
    }
}

impl<T, S, B> fmt::Debug for ListReader<T, S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListReader")
            .field("delivered", &self.delivered)
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}
