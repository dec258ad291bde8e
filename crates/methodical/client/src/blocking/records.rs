//! The records of a list, as the blocking client reads them.

use std::fmt;

use gateway_transport::BlockingBody;
use methodical_model::{Beside, Record};

use crate::Error;
use crate::list_reader::{Entry, ListReader, Step};

/// The records of [`Client::stream`](crate::blocking::Client::stream): an [`Iterator`].
///
/// After an error there are no more records. Dropping the value ends the exchange and closes the connection.
pub struct Records<T, S = ()> {
    reader: ListReader<T, S, BlockingBody>,
}

impl<T: Record, S: Beside> Records<T, S> {
    pub(crate) fn new(reader: ListReader<T, S, BlockingBody>) -> Self {
        Self { reader }
    }

    /// Returns the fields beside the list, such as a total, once the list has ended without an error.
    ///
    /// ```
    /// use methodical_client::model::{Beside, Record};
    /// use methodical_client::blocking::Records;
    ///
    /// fn is_last<T: Record, S: Beside>(records: &Records<T, S>, cursor: impl Fn(&S) -> Option<&str>) -> bool {
    ///     records.beside().is_some_and(|beside| cursor(beside).is_none())
    /// }
    /// # fn with<T: Record>(records: &Records<T>) -> bool { is_last(records, |()| None) }
    /// ```
    pub fn beside(&self) -> Option<&S> {
        self.reader.beside()
    }

    /// Sets the maximum size of one record, in bytes. Default: 1 MiB.
    ///
    /// A larger record is rejected like any other unreadable one, and the list goes on. Its text is not kept.
    #[must_use]
    pub fn record_limit(mut self, bytes: usize) -> Self {
        self.reader = self.reader.record_limit(bytes);
        self
    }

    /// Reads the next record as [`Iterator::next`] does, but lends it to `take` instead of copying it.
    ///
    /// Use it for long lists that are only passed on, such as an export: the record borrows from the received bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_client::model::Record;
    /// use methodical_client::{Entry, Error, blocking::Records};
    ///
    /// fn sum<T: Record>(
    ///     mut records: Records<T>,
    ///     size: impl Fn(T::Ref<'_>) -> u64,
    /// ) -> Result<u64, Error> {
    ///     let mut sum = 0;
    ///     while let Some(entry) = records.next_with(&size) {
    ///         if let Entry::Record(size) = entry? {
    ///             sum += size;
    ///         }
    ///     }
    ///     Ok(sum)
    /// }
    /// ```
    pub fn next_with<O>(
        &mut self,
        mut take: impl FnMut(T::Ref<'_>) -> O,
    ) -> Option<Result<Entry<O>, Error>> {
        self.next_json_with(|record, _| take(record))
    }

    /// Reads the next record as [`next_with`](Self::next_with) does, and also lends its JSON text to `take`.
    ///
    /// Use it to pass records on unchanged: the text has every field and the original whitespace.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_client::model::Record;
    /// use methodical_client::{Error, blocking::Records};
    ///
    /// fn lines<T: Record>(records: &mut Records<T>) -> Result<String, Error> {
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
        loop {
            match self.reader.step(&mut take) {
                Step::Entry(entry) => return Some(entry),
                Step::End => return None,
                Step::NeedMore => {
                    let ListReader { body, span, .. } = &mut self.reader;
                    let received = span.within(|| body.chunk());
                    if let Err(error) = self.reader.feed(received) {
                        return Some(Err(error));
                    }
                }
            }
        }
    }

    /// Takes the next record from what has already been received, as [`next_json_with`](Self::next_json_with) does.
    ///
    /// It never waits. `None` means that more must be received, or that the list has ended. Use it to do something
    /// before waiting, such as flushing output.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::{self, Write};
    ///
    /// use methodical_client::blocking::Records;
    /// use methodical_client::model::Record;
    ///
    /// fn lines<T: Record>(
    ///     records: &mut Records<T>,
    ///     out: &mut dyn Write,
    /// ) -> Result<(), Box<dyn std::error::Error>> {
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
        match self.reader.step(take) {
            Step::Entry(entry) => Some(entry),
            Step::End | Step::NeedMore => None,
        }
    }
}

impl<T: Record, S: Beside> Iterator for Records<T, S> {
    type Item = Result<Entry<T>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_json_with(|record, _| T::from_ref(record))
    }
}

impl<T, S> fmt::Debug for Records<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("reader", &self.reader).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Read};
    use std::sync::Arc;

    use gateway_transport::{BlockingBody, blocking_transport_fn};
    use http::Response;

    use crate::photos::{BlockingClient, ListPhotos};
    use crate::{AccessToken, Entry};

    /// A body whose lifetime a test observes.
    struct Observed {
        text: Cursor<&'static str>,
        _alive: Arc<()>,
    }

    impl Read for Observed {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.text.read(buffer)
        }
    }

    #[test]
    fn the_body_is_dropped_after_the_last_record_or_an_error() {
        for list in [
            r#"{"status":"success","result":[{"id":1}]}"#,
            r#"{"status":"success","result":[{"id":1},"#,
        ] {
            let alive = Arc::new(());
            let body = Arc::clone(&alive);
            let transport = blocking_transport_fn(move |_| {
                let text = Cursor::new(list);
                let body = BlockingBody::new(Observed { text, _alive: Arc::clone(&body) });
                let response = Response::builder().header("content-type", "application/json");
                Ok(response.body(body).unwrap())
            });
            let client = BlockingClient::builder("https://gateway.example.com")
                .token(AccessToken::new("gwt_6yqW").unwrap())
                .transport(transport)
                .build()
                .unwrap();
            let mut records = client.stream(&ListPhotos).unwrap();
            assert!(records.next().unwrap().is_ok());
            let before = Arc::strong_count(&alive);
            assert!(records.next().is_none_or(|cut| cut.is_err()), "{list}");
            assert_eq!(Arc::strong_count(&alive), before - 1, "{list}");
        }
    }

    #[test]
    fn only_accepted_records_are_lent() {
        let transport = blocking_transport_fn(|_| {
            let list = r#"{"status":"success","result":[{"id":1},7,{"id":2}]}"#;
            let response = Response::builder().header("content-type", "application/json");
            Ok(response.body(list.into()).unwrap())
        });
        let client = BlockingClient::builder("https://gateway.example.com")
            .token(AccessToken::new("gwt_6yqW").unwrap())
            .transport(transport)
            .build()
            .unwrap();
        let (mut records, mut lent) = (client.stream(&ListPhotos).unwrap(), 0);
        let mut accepted = Vec::new();
        while let Some(entry) = records.next_with(|_| lent += 1) {
            accepted.push(matches!(entry.unwrap(), Entry::Record(())));
        }
        assert_eq!((accepted, lent), (vec![true, false, true], 2));
    }
}
