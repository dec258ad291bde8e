//! The push decoder: decodes a list of any length in bounded memory, without I/O.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::decode::engine::{After, Engine, Step, Window};
use crate::decode::layout::Body;
use crate::decode::{Metadata, Record, checked};
use crate::{DecodeError, Rejected};

/// Decodes a list, record by record, from pieces of any size. Use it for a list that may be too long for memory.
///
/// The decoder does no I/O: push each piece as it arrives, then take records until the decoder needs more. Its memory
/// is bounded by one piece plus the largest record, whose size [`with_record_limit`](Self::with_record_limit) limits.
///
/// [`next_record`](Self::next_record) returns [`Next::End`] only after the document is complete and
/// [`finish`](Self::finish) has been called. A truncated body is always an error, which counts the records before it.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::{DecodeErrorKind, ListOperation, Next};
///
/// let mut decoder = ListPhotos::new().decoder();
/// for piece in [r#" [{"id":"4"#, r#"711","title":"Harb"#, r#"our"},{"id""#] {
///     decoder.push(piece.as_bytes());
///     while let Next::Item(photo) = decoder.next_record()? {
///         assert_eq!(photo.id.as_str(), "4711");
///     }
/// }
/// decoder.finish();
/// let error = decoder.next_record().unwrap_err();
/// assert_eq!((error.kind(), error.delivered()), (DecodeErrorKind::Incomplete, 1));
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
pub struct StreamDecoder<T, M = ()> {
    engine: Engine,
    /// The text that was pushed and validated. The part before `at` has been decoded.
    text: String,
    at: usize,
    /// The first bytes of a character that has not been pushed completely.
    tail: Vec<u8>,
    after: After,
    /// The metadata, once the list has ended.
    metadata: Option<M>,
    record: PhantomData<fn() -> T>,
}

/// Creates a decoder for the list at `place` in a body.
pub fn decoder<T: Record, M: Metadata>(place: &'static Body) -> StreamDecoder<T, M> {
    StreamDecoder {
        engine: Engine::new(place, StreamDecoder::<T>::RECORD_LIMIT).metadata(M::OBJECT),
        text: String::new(),
        at: 0,
        tail: Vec::new(),
        after: After::More,
        metadata: None,
        record: PhantomData,
    }
}

/// The next step of a [`StreamDecoder`].
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next<T> {
    /// A decoded record.
    Item(T),
    /// A record that could not be decoded. Decoding continues with the next one.
    Rejected(Rejected),
    /// The decoder needs the next piece, or a call of [`StreamDecoder::finish`] after the last piece.
    NeedMore,
    /// The list is complete.
    End,
}

impl<T: Record> StreamDecoder<T> {
    /// Default maximum size of a single record, in bytes: 1 MiB.
    ///
    /// A service that stores records should refuse larger ones, because clients skip them.
    pub const RECORD_LIMIT: usize = 1 << 20;
}

impl<T: Record, M: Metadata> StreamDecoder<T, M> {
    /// Sets the maximum size of a single record, in bytes.
    ///
    /// A larger record is rejected with [`DecodeErrorKind::TooLarge`](crate::DecodeErrorKind::TooLarge), and decoding
    /// continues with the next record. The text of the large record is neither kept nor checked: [`Rejected::raw`]
    /// returns an empty string.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::{DecodeErrorKind, ListOperation as _, Next};
    ///
    /// let mut decoder = ListPhotos::new().decoder().with_record_limit(16);
    /// decoder.push(br#"[{"id":"1","title":"Harbour"},{"id":"2"}]"#);
    /// let Next::Rejected(large) = decoder.next_record()? else { panic!("not rejected") };
    /// assert_eq!((large.error().kind(), large.raw()), (DecodeErrorKind::TooLarge, ""));
    /// assert!(matches!(decoder.next_record()?, Next::Item(photo) if photo.id.as_str() == "2"));
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    #[must_use]
    pub fn with_record_limit(mut self, bytes: usize) -> Self {
        self.engine.set_limit(bytes);
        self
    }

    /// Adds the next piece of the body. Pieces after [`finish`](Self::finish) or an error are ignored.
    pub fn push(&mut self, piece: &[u8]) {
        if self.after != After::More {
            return;
        }
        self.engine.forget(&self.text, self.at);
        self.text.drain(..self.at);
        self.at = 0;
        let mut rest = piece;
        while !self.tail.is_empty()
            && let Some((first, after)) = rest.split_first()
        {
            self.tail.push(*first);
            rest = after;
            let (valid, invalid) = checked(&self.tail);
            self.text.push_str(valid);
            if invalid.is_empty() {
                self.tail.clear();
            } else if !is_cut(invalid) {
                self.after = After::Garbage;
                return;
            }
        }
        let (valid, invalid) = checked(rest);
        self.text.push_str(valid);
        self.tail.extend_from_slice(invalid);
        if !invalid.is_empty() && !is_cut(invalid) {
            self.after = After::Garbage;
        }
    }

    /// Marks the end of the body.
    pub fn finish(&mut self) {
        if self.after == After::More {
            self.after = if self.tail.is_empty() { After::Nothing } else { After::Garbage };
        }
    }

    /// Returns the next record. Returns [`Next::NeedMore`] if the pieces so far do not complete a record,
    /// [`Next::Rejected`] for a record that cannot be decoded, and [`Next::End`] after the list.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Operation::decode`](crate::Operation::decode). After an error, every call returns
    /// the same error.
    pub fn next_record(&mut self) -> Result<Next<T>, DecodeError> {
        self.next_json_with(|record, _| T::from_ref(record))
    }

    /// Passes the next record to `take`, together with its JSON text. The record borrows from the body, so its strings
    /// are not copied.
    ///
    /// The text contains every field and the original whitespace. Use it to pass records on unchanged.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`next_record`](Self::next_record).
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::{ListOperation as _, Next};
    ///
    /// let mut decoder = ListPhotos::new().decoder();
    /// decoder.push(br#"[{"id":"1","seats":3}"#);
    /// let line = decoder.next_json_with(|_, json| format!("{json}\n"))?;
    /// assert_eq!(line, Next::Item("{\"id\":\"1\",\"seats\":3}\n".to_owned()));
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    #[inline]
    pub fn next_json_with<O>(
        &mut self,
        take: impl FnOnce(T::Ref<'_>, &str) -> O,
    ) -> Result<Next<O>, DecodeError> {
        let window = Window { text: &self.text, after: self.after };
        match self.engine.next::<T, O>(window, &mut self.at, take) {
            Ok(Step::Record(record)) => Ok(Next::Item(record)),
            Ok(Step::Rejected(rejected)) => Ok(Next::Rejected(rejected)),
            Ok(Step::More) => Ok(Next::NeedMore),
            Ok(Step::End) => self.end(),
            Err(error) => {
                self.give_up();
                Err(error)
            }
        }
    }

    /// Returns whether the next record has begun or the list is complete, without decoding a record.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`next_record`](Self::next_record).
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::ListOperation as _;
    ///
    /// let mut decoder = ListPhotos::new().decoder();
    /// decoder.push(b"[");
    /// assert!(!decoder.is_ready()?);
    /// decoder.push(br#"{"id":"1""#);
    /// assert!(decoder.is_ready()?);
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    pub fn is_ready(&mut self) -> Result<bool, DecodeError> {
        let window = Window { text: &self.text, after: self.after };
        let ready = self.engine.begin(window, &mut self.at);
        if ready.is_err() {
            self.give_up();
        }
        ready
    }

    /// Returns whether the contract assigns [classes](crate::ErrorClass) to errors in the body.
    pub fn has_error_classes(&self) -> bool {
        self.engine.has_error_classes()
    }

    /// Returns the metadata of the list once [`next_record`](Self::next_record) has returned [`Next::End`].
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::{ListOperation as _, Next};
    ///
    /// let mut decoder = PagePhotos::new().decoder();
    /// decoder.push(br#"{"page":2,"photo":[]}"#);
    /// decoder.finish();
    /// assert!(decoder.metadata().is_none());
    /// assert!(matches!(decoder.next_record()?, Next::End));
    /// assert_eq!(decoder.metadata().and_then(|metadata| metadata.page), Some(2));
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    pub fn metadata(&self) -> Option<&M> {
        self.metadata.as_ref()
    }

    /// Ends the list by decoding its metadata.
    #[cold]
    fn end<O>(&mut self) -> Result<Next<O>, DecodeError> {
        if self.metadata.is_none() {
            match self.engine.take_metadata() {
                Ok(metadata) => self.metadata = Some(metadata),
                Err(error) => {
                    self.give_up();
                    return Err(error);
                }
            }
        }
        Ok(Next::End)
    }

    /// Frees the buffer and ignores all further pieces.
    #[cold]
    fn give_up(&mut self) {
        self.text = String::new();
        self.at = 0;
        self.after = After::Garbage;
    }
}

impl<T, M> fmt::Debug for StreamDecoder<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamDecoder")
            .field("engine", &self.engine)
            .field("text", &format_args!("<{} bytes>", self.text.len() - self.at))
            .finish_non_exhaustive()
    }
}

/// Returns whether these bytes are the incomplete start of a character.
fn is_cut(bytes: &[u8]) -> bool {
    core::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
