//! The records of a list, as the async client reads them.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use gateway_transport::Body;
use http_body::Body as _;
use methodical_model::{Beside, Record};

use crate::Error;
use crate::list_reader::{Entry, ListReader, Step};

/// The records of [`Client::stream`](crate::Client::stream): a [`Stream`].
///
/// After an error there are no more records. Dropping the value ends the exchange and closes the connection.
pub struct Records<T, S = ()> {
    reader: ListReader<T, S, Body>,
}

impl<T: Record, S: Beside> Records<T, S> {
    pub(crate) fn new(reader: ListReader<T, S, Body>) -> Self {
        Self { reader }
    }

    /// Returns the fields beside the list, such as a total, once the list has ended without an error.
    ///
    /// ```
    /// use methodical_client::model::{Beside, Record};
    /// use methodical_client::Records;
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

    /// Waits for the next entry; `None` means that the list is complete, or that an error has already ended it.
    ///
    /// Dropping the future loses no record.
    ///
    /// # Errors
    ///
    /// Fails if the list cannot be read to its end: [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted),
    /// [`Timeout`](crate::ErrorKind::Timeout), [`TooLarge`](crate::ErrorKind::TooLarge) or
    /// [`Decode`](crate::ErrorKind::Decode). [`Error::delivered`] returns how many records came before.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_client::model::Record;
    /// use methodical_client::{Entry, Error, Records};
    ///
    /// /// Prints every record, and how far a list came that ended early.
    /// async fn print<T: Record + std::fmt::Debug>(mut records: Records<T>) -> Result<(), Error> {
    ///     while let Some(entry) = records.next().await {
    ///         match entry {
    ///             Ok(Entry::Record(record)) => println!("{record:?}"),
    ///             Ok(Entry::Rejected(rejected)) => eprintln!("{}", rejected.error()),
    ///             Err(error) => {
    ///                 eprintln!("{error}, after {:?} records", error.delivered());
    ///                 return Err(error);
    ///             }
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub async fn next(&mut self) -> Option<Result<Entry<T>, Error>> {
        self.next_with(T::from_ref).await
    }

    /// Waits for the next record as [`next`](Self::next) does, but lends it to `take` instead of copying it.
    ///
    /// Use it for long lists that are only passed on, such as an export: the record borrows from the received bytes.
    ///
    /// # Errors
    ///
    /// See [`next`](Self::next).
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_client::model::Record;
    /// use methodical_client::{Entry, Error, Records};
    ///
    /// async fn sum<T: Record>(
    ///     mut records: Records<T>,
    ///     size: impl Fn(T::Ref<'_>) -> u64,
    /// ) -> Result<u64, Error> {
    ///     let mut sum = 0;
    ///     while let Some(entry) = records.next_with(&size).await {
    ///         if let Entry::Record(size) = entry? {
    ///             sum += size;
    ///         }
    ///     }
    ///     Ok(sum)
    /// }
    /// ```
    pub async fn next_with<O>(
        &mut self,
        mut take: impl FnMut(T::Ref<'_>) -> O,
    ) -> Option<Result<Entry<O>, Error>> {
        self.next_json_with(|record, _| take(record)).await
    }

    /// Waits for the next record as [`next_with`](Self::next_with) does, and also lends its JSON text to `take`.
    ///
    /// Use it to pass records on unchanged: the text has every field and the original whitespace.
    ///
    /// # Errors
    ///
    /// See [`next`](Self::next).
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_client::model::Record;
    /// use methodical_client::{Error, Records};
    ///
    /// async fn lines<T: Record>(records: &mut Records<T>) -> Result<String, Error> {
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
        poll_fn(|context| self.poll(context, &mut take)).await
    }

    pub(crate) fn poll<O>(
        &mut self,
        context: &mut Context<'_>,
        take: &mut impl FnMut(T::Ref<'_>, &str) -> O,
    ) -> Poll<Option<Result<Entry<O>, Error>>> {
        loop {
            match self.reader.step(&mut *take) {
                Step::Entry(entry) => return Poll::Ready(Some(entry)),
                Step::End => return Poll::Ready(None),
                Step::NeedMore => {
                    let ListReader { body, span, .. } = &mut self.reader;
                    let frame = ready!(span.within(|| Pin::new(body).poll_frame(context)));
                    let received = match frame.transpose() {
                        Ok(Some(frame)) => match frame.into_data() {
                            Ok(chunk) => Ok(Some(chunk)),
                            Err(_trailers) => continue,
                        },
                        Ok(None) => Ok(None),
                        Err(error) => Err(error),
                    };
                    if let Err(error) = self.reader.feed(received) {
                        return Poll::Ready(Some(Err(error)));
                    }
                }
            }
        }
    }
}

impl<T: Record, S: Beside> Stream for Records<T, S> {
    type Item = Result<Entry<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context, &mut |record, _| T::from_ref(record))
    }
}

/// Nothing in it is pinned.
impl<T, S> Unpin for Records<T, S> {}

impl<T, S> fmt::Debug for Records<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("reader", &self.reader).finish()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use gateway_transport::{TransportError, transport_fn};
    use http::{HeaderMap, Response};
    use http_body::Frame;

    use super::*;
    use crate::photos::{ListPhotos, Photos};
    use crate::{AccessToken, Client};

    /// A body with trailers, of which each frame is ready.
    struct Frames(Vec<Frame<Bytes>>);

    impl http_body::Body for Frames {
        type Data = Bytes;
        type Error = TransportError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
            let is_over = self.0.is_empty();
            Poll::Ready((!is_over).then(|| Ok(self.0.remove(0))))
        }
    }

    fn client(text: &'static str) -> Client<Photos> {
        let transport = transport_fn(move |_| async move {
            let trailers = Frame::trailers(HeaderMap::new());
            let body = Body::new(Frames(vec![Frame::data(text.into()), trailers]));
            let response = Response::builder().header("content-type", "application/json");
            Ok(response.body(body).unwrap())
        });
        Client::builder("https://gateway.example.com")
            .token(AccessToken::new("gwt_6yqW").unwrap())
            .transport(transport)
            .build()
            .unwrap()
    }

    #[tokio::test]
    async fn trailers_neither_end_nor_complete_a_list() {
        let whole = client(r#"{"result":[{"id":1}],"status":"success"}"#);
        let mut records = whole.stream(&ListPhotos).await.unwrap();
        assert!(records.next().await.unwrap().is_ok());
        assert!(records.next().await.is_none());

        let truncated = client(r#"{"result":[{"id":1},"#);
        let mut records = truncated.stream(&ListPhotos).await.unwrap();
        assert!(records.next().await.unwrap().is_ok());
        let error = records.next().await.unwrap().unwrap_err();
        assert_eq!(error.delivered(), Some(1));
        assert!(records.next().await.is_none());
    }

    #[tokio::test]
    async fn the_record_limit_rejects_a_longer_record_only() {
        let client =
            client(r#"{"status":"success","result":[{"id":123456},{"id":1234567},{"id":7}]}"#);
        let records = client.stream(&ListPhotos).await.unwrap();
        let mut records = records.record_limit(r#"{"id":123456}"#.len());
        for is_accepted in [true, false, true] {
            let entry = poll_fn(|cx| Pin::new(&mut records).poll_next(cx)).await.unwrap();
            assert_eq!(matches!(entry, Ok(Entry::Record(_))), is_accepted, "{entry:?}");
        }
        assert!(records.next().await.is_none());
    }
}
