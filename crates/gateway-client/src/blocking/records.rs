//! The records of a list, as they are read.

use std::fmt;

use gateway_model::{Record, StreamDecoder};
use gateway_transport::BlockingBody;

use crate::Error;
use crate::records::{Entry, Reader, Taken};
use crate::trace::CallSpan;

/// The records of [`Client::stream`](crate::blocking::Client::stream): an [`Iterator`].
///
/// After an error nothing more comes. Dropping it ends the exchange and closes the connection.
pub struct Records<T> {
    body: BlockingBody,
    reader: Reader<T>,
}

impl<T: Record> Records<T> {
    pub(crate) fn new(
        body: BlockingBody,
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

    /// Reads the next record as [`Iterator::next`] does, but lends it to `take` instead of copying it.
    ///
    /// For long lists that only pass through, such as an export: a record borrows from what was received.
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_client::model::ListVacancies;
    /// use gateway_client::transport::MemoryTransport;
    /// use gateway_client::{AccessToken, Entry, blocking};
    /// use http::Response;
    ///
    /// let body = r#"[{"id":"1","project":"Welder"}]"#;
    /// let answer = Response::builder().header("content-type", "application/json").body(body.into()).unwrap();
    /// let client = blocking::Client::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(answer)]))
    ///     .build()?;
    /// let mut records = client.stream(&ListVacancies::new())?;
    /// let length = records.next_with(|vacancy| vacancy.project.map_or(0, |text| text.len()));
    /// assert!(matches!(length, Some(Ok(Entry::Record(6)))));
    /// # Ok::<(), gateway_client::Error>(())
    /// ```
    pub fn next_with<O>(
        &mut self,
        mut take: impl FnMut(T::Ref<'_>) -> O,
    ) -> Option<Result<Entry<O>, Error>> {
        self.next_json_with(|record, _| take(record))
    }

    /// Reads the next record as [`next_with`](Self::next_with) does, and lends its JSON text beside it.
    ///
    /// For what passes records on as they came: the text has every member, and the blanks between them.
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_client::model::Vacancy;
    /// use gateway_client::{Entry, Error, blocking::Records};
    ///
    /// fn lines(records: &mut Records<Vacancy>) -> Result<String, Error> {
    ///     let mut out = String::new();
    ///     while let Some(entry) = records.next_json_with(|_, json| out.push_str(json)) {
    ///         entry?;
    ///     }
    ///     Ok(out)
    /// }
    /// ```
    pub fn next_json_with<O>(
        &mut self,
        mut take: impl FnMut(T::Ref<'_>, &str) -> O,
    ) -> Option<Result<Entry<O>, Error>> {
        let next = loop {
            match self.reader.take_with(&mut take) {
                Taken::Entry(entry) => break Some(entry),
                Taken::End => break None,
                Taken::NeedMore => {
                    let body = &mut self.body;
                    match self.reader.span.within(|| body.chunk()) {
                        Ok(None) => self.reader.decoder.finish(),
                        Ok(Some(piece)) => self.reader.decoder.push(&piece),
                        Err(error) => break Some(Err(self.reader.fail(error.into()))),
                    }
                }
            }
        };
        self.let_go();
        next
    }

    /// Takes the next record out of what has been received, as [`next_json_with`](Self::next_json_with) does, and never
    /// waits: `None` says that more has to be received, or that nothing more comes.
    ///
    /// For what has something to do before it waits, such as passing on what it has gathered.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::{self, Write};
    ///
    /// use gateway_client::blocking::Records;
    /// use gateway_client::model::Vacancy;
    ///
    /// fn lines(records: &mut Records<Vacancy>, out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    ///     loop {
    ///         while let Some(entry) = records.received_json_with(|_, json| writeln!(out, "{json}")) {
    ///             entry?;
    ///         }
    ///         out.flush()?;
    ///         match records.next_json_with(|_, json| writeln!(out, "{json}")) {
    ///             Some(entry) => entry?,
    ///             None => return Ok(()),
    ///         };
    ///     }
    /// }
    /// ```
    pub fn received_json_with<O>(
        &mut self,
        take: impl FnOnce(T::Ref<'_>, &str) -> O,
    ) -> Option<Result<Entry<O>, Error>> {
        let next = match self.reader.take_with(take) {
            Taken::Entry(entry) => Some(entry),
            Taken::End | Taken::NeedMore => None,
        };
        self.let_go();
        next
    }

    /// Lets go of the body as soon as nothing more comes: the connection goes back to the pool, or is closed.
    fn let_go(&mut self) {
        if self.reader.over {
            self.body = BlockingBody::empty();
        }
    }
}

impl<T: Record> Iterator for Records<T> {
    type Item = Result<Entry<T>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_json_with(|record, _| T::from_ref(record))
    }
}

impl<T> fmt::Debug for Records<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("reader", &self.reader).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Read};
    use std::sync::Arc;

    use gateway_model::ListVacancies;
    use gateway_transport::{BlockingBody, blocking_transport_fn};
    use http::Response;

    use crate::{AccessToken, blocking};

    /// A body that is seen to be there.
    struct Seen {
        text: Cursor<&'static str>,
        _there: Arc<()>,
    }

    impl Read for Seen {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.text.read(buffer)
        }
    }

    #[test]
    fn the_body_goes_with_the_last_record_or_the_error() {
        for list in [r#"[{"id":"1"}]"#, r#"[{"id":"1"},"#] {
            let seen = Arc::new(());
            let body = Arc::clone(&seen);
            let transport = blocking_transport_fn(move |_| {
                let body =
                    BlockingBody::new(Seen { text: Cursor::new(list), _there: Arc::clone(&body) });
                let answer = Response::builder().header("content-type", "application/json");
                Ok(answer.body(body).unwrap())
            });
            let client = blocking::Client::builder("https://gateway.example.com")
                .token(AccessToken::new("gwt_6yqW").unwrap())
                .transport(transport)
                .build()
                .unwrap();
            let mut records = client.stream(&ListVacancies::new()).unwrap();
            assert!(records.next().unwrap().is_ok());
            let there = Arc::strong_count(&seen);
            assert!(records.next().is_none_or(|cut| cut.is_err()), "{list}");
            assert_eq!(Arc::strong_count(&seen), there - 1, "{list}");
        }
    }
}
