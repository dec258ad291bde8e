//! The records of a list, as they arrive.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use gateway_model::{Next, Record, Rejected, StreamDecoder};
use gateway_transport::Body;
use http_body::Body as _;

use crate::Error;
use crate::trace::CallSpan;

/// What a list has next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a record can be read, or it cannot")]
pub enum Entry<T> {
    /// A record.
    Record(T),
    /// A record that could not be read; the others still can.
    Rejected(Rejected),
}

/// The records of [`Client::stream`](crate::Client::stream): a [`Stream`].
///
/// After an error nothing more comes. Dropping it ends the exchange and closes the connection.
pub struct Records<T> {
    body: Body,
    reader: Reader<T>,
}

impl<T: Record> Records<T> {
    pub(crate) fn new(
        body: Body,
        decoder: StreamDecoder<T>,
        attempts: u32,
        span: CallSpan,
    ) -> Self {
        Self { body, reader: Reader::new(decoder, attempts, span) }
    }

    /// Sets how many bytes a single record may have. Default: 1 MiB. A larger one ends the list with
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge).
    #[must_use]
    pub fn record_limit(mut self, bytes: usize) -> Self {
        self.reader = self.reader.record_limit(bytes);
        self
    }

    /// Waits for the next record; `None` means that the list is complete, or that an error has ended it before.
    ///
    /// It may be dropped while it waits: no record is lost.
    ///
    /// # Errors
    ///
    /// What keeps the list from being read to its end: [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted),
    /// [`Timeout`](crate::ErrorKind::Timeout), [`TooLarge`](crate::ErrorKind::TooLarge) or
    /// [`Decode`](crate::ErrorKind::Decode); [`Error::delivered`] says how many records came before.
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_client::model::ListVacancies;
    /// use gateway_client::transport::MemoryTransport;
    /// use gateway_client::{AccessToken, Client, ErrorKind};
    /// use http::Response;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cut = r#"[{"id":"1","project":"Welder"},{"id":"2","pro"#;
    /// let answer = Response::builder().header("content-type", "application/json").body(cut.into())?;
    /// let client = Client::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(answer)]))
    ///     .build()?;
    /// let mut records = client.stream(&ListVacancies::new()).await?;
    /// assert!(records.next().await.is_some_and(|first| first.is_ok()));
    /// let error = records.next().await.unwrap().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Decode);
    /// assert_eq!(error.delivered(), Some(1));
    /// assert!(records.next().await.is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next(&mut self) -> Option<Result<Entry<T>, Error>> {
        self.next_with(T::from_ref).await
    }

    /// Waits for the next record as [`next`](Self::next) does, but lends it to `take` instead of copying it.
    ///
    /// For long lists that only pass through, such as an export: a record borrows from what was received.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_client::model::ListVacancies;
    /// use gateway_client::transport::MemoryTransport;
    /// use gateway_client::{AccessToken, Client, Entry};
    /// use http::Response;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let body = r#"[{"id":"1","project":"Welder"}]"#;
    /// let answer = Response::builder().header("content-type", "application/json").body(body.into())?;
    /// let client = Client::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(answer)]))
    ///     .build()?;
    /// let mut records = client.stream(&ListVacancies::new()).await?;
    /// let length = records.next_with(|vacancy| vacancy.project.map_or(0, |text| text.len())).await;
    /// assert!(matches!(length, Some(Ok(Entry::Record(6)))));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next_with<O>(
        &mut self,
        mut take: impl FnMut(T::Ref<'_>) -> O,
    ) -> Option<Result<Entry<O>, Error>> {
        self.next_json_with(|record, _| take(record)).await
    }

    /// Waits for the next record as [`next_with`](Self::next_with) does, and lends its JSON text beside it.
    ///
    /// For what passes records on as they came: the text has every member, and the blanks between them.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_client::model::Vacancy;
    /// use gateway_client::{Error, Records};
    ///
    /// async fn lines(records: &mut Records<Vacancy>) -> Result<String, Error> {
    ///     let mut out = String::new();
    ///     while let Some(entry) = records.next_json_with(|_, json| out.push_str(json)).await {
    ///         entry?;
    ///     }
    ///     Ok(out)
    /// }
    /// ```
    pub async fn next_json_with<O>(
        &mut self,
        mut take: impl FnMut(T::Ref<'_>, &str) -> O,
    ) -> Option<Result<Entry<O>, Error>> {
        std::future::poll_fn(|context| self.poll(context, &mut take)).await
    }

    fn poll<O>(
        &mut self,
        context: &mut Context<'_>,
        take: &mut impl FnMut(T::Ref<'_>, &str) -> O,
    ) -> Poll<Option<Result<Entry<O>, Error>>> {
        let next = loop {
            match self.reader.take_with(&mut *take) {
                Taken::Entry(entry) => break Some(entry),
                Taken::End => break None,
                Taken::NeedMore => {
                    let body = Pin::new(&mut self.body);
                    match ready!(self.reader.span.within(|| body.poll_frame(context))) {
                        None => self.reader.decoder.finish(),
                        Some(Ok(frame)) => {
                            if let Ok(piece) = frame.into_data() {
                                self.reader.decoder.push(&piece);
                            }
                        }
                        Some(Err(error)) => break Some(Err(self.reader.fail(error.into()))),
                    }
                }
            }
        };
        if self.reader.over {
            // The connection goes back to the pool, or is closed.
            self.body = Body::empty();
        }
        Poll::Ready(next)
    }
}

impl<T: Record> Stream for Records<T> {
    type Item = Result<Entry<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context, &mut |record, _| T::from_ref(record))
    }
}

impl<T> fmt::Debug for Records<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("reader", &self.reader).finish_non_exhaustive()
    }
}

/// What both kinds of records share: the decoder, and what has come out of it.
pub(crate) struct Reader<T> {
    pub(crate) decoder: StreamDecoder<T>,
    attempts: u32,
    delivered: u64,
    /// Nothing more comes, after the end or an error.
    pub(crate) over: bool,
    pub(crate) span: CallSpan,
}

/// What a reader has for its caller.
pub(crate) enum Taken<T> {
    Entry(Result<Entry<T>, Error>),
    NeedMore,
    End,
}

impl<T: Record> Reader<T> {
    pub(crate) fn new(decoder: StreamDecoder<T>, attempts: u32, span: CallSpan) -> Self {
        Self { decoder, attempts, delivered: 0, over: false, span }
    }

    pub(crate) fn record_limit(mut self, bytes: usize) -> Self {
        self.decoder = self.decoder.with_record_limit(bytes);
        self
    }

    /// Returns what has arrived.
    pub(crate) fn take_with<O>(&mut self, take: impl FnOnce(T::Ref<'_>, &str) -> O) -> Taken<O> {
        if self.over {
            return Taken::End;
        }
        match self.decoder.next_json_with(take) {
            Ok(Next::Item(record)) => {
                self.delivered += 1;
                Taken::Entry(Ok(Entry::Record(record)))
            }
            Ok(Next::Rejected(rejected)) => Taken::Entry(Ok(Entry::Rejected(rejected))),
            Ok(Next::End) => {
                self.end();
                Taken::End
            }
            Ok(_) => Taken::NeedMore,
            Err(error) => Taken::Entry(Err(self.fail(error.into()))),
        }
    }

    /// Ends the list with an error that says how far it came.
    pub(crate) fn fail(&mut self, error: Error) -> Error {
        self.span.failed(&error);
        self.end();
        error.after_attempts(self.attempts).after_records(self.delivered)
    }

    fn end(&mut self) {
        self.over = true;
        self.span.end_after(self.delivered);
    }
}

impl<T> fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("delivered", &self.delivered)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}
