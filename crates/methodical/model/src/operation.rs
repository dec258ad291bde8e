//! Operations: each has a query, and a decoder for its response.

use crate::decode::layout::Body;
use crate::decode::value::Value;
use crate::decode::{Record, StreamDecoder, stream, whole};
use crate::{BodyFormat, DecodeError, ErrorClass, Listing, Metadata, Query, Rejected, Service};

/// An operation of a service: its query, and how to decode the body of its response.
///
/// A client calls operations for you; this trait itself knows nothing about HTTP. To call one yourself, send a `GET` to
/// [`Service::PATH`] followed by [`Query::path`], with the query and the header `Accept:` [`Service::ACCEPT`]. If the
/// query has a [`Query::format`], send a `POST` with [`Query::body`] instead. Check that the status is 200 and the
/// media type is JSON. Then pass the body to [`decode`](Self::decode).
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::Operation;
///
/// fn call<O: Operation>(operation: &O, send: impl Fn(&str) -> Vec<u8>) -> Result<O::Output, methodical_model::DecodeError> {
///     O::decode(&send(operation.query()?.as_str()))
/// }
/// let photo = call(&NewestPhoto, |query| {
///     assert_eq!(query, "action=photos/newest");
///     br#"{"id":"7","title":"Harbour"}"#.to_vec()
/// })?;
/// assert_eq!(photo.title.as_deref(), Some("Harbour"));
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
pub trait Operation {
    /// The service that the operation belongs to. A client for another service does not accept the operation.
    type Service: Service;

    /// The type that the response decodes to.
    type Output: Decoded;

    /// The value of [`Service::SELECTOR`] that selects the operation, such as `photos/list`. A `/` separates the values
    /// of two selectors. If the path selects the operation, this is the end of the path.
    const METHOD: &'static str;

    /// Whether the body of a successful response may be empty. An empty body has no media type.
    const MAY_BE_EMPTY: bool = false;

    /// The body format of a POST, and whether the call is idempotent; `None` for a GET. For generated code.
    #[doc(hidden)]
    const POST: Option<(BodyFormat, bool)> = None;

    /// Where the data is in a response body, and how the body reports a failure. For generated code.
    #[doc(hidden)]
    const BODY: &'static Body = &Body::ROOT;

    /// Returns the query of this call, percent-encoded and without a leading `?`.
    ///
    /// # Errors
    ///
    /// Returns [`DecodeErrorKind::Parameter`](crate::DecodeErrorKind::Parameter) if a value cannot be sent, such as an
    /// identifier that is not an unsigned integer. The error names the parameter, not the value.
    fn query(&self) -> Result<Query, DecodeError>;

    /// Decodes the whole body of a successful response.
    ///
    /// # Errors
    ///
    /// Fails with any kind except [`DecodeErrorKind::Parameter`](crate::DecodeErrorKind::Parameter). A record that
    /// cannot be decoded does not fail the list: see [`Listing::rejected`].
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::Operation as _;
    ///
    /// assert_eq!(ListPhotos::decode(br#"[{"id":"7"}]"#)?.items, [Photo::new("7")]);
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    fn decode(body: &[u8]) -> Result<Self::Output, DecodeError> {
        Self::Output::decode(Self::BODY, body)
    }

    /// Returns the class of the failure that a whole body reports, without decoding its data.
    ///
    /// A client uses the class to decide whether to retry. Returns `None` for a success, for a body that is invalid
    /// before it reports a failure, and if the contract assigns no classes to errors.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// use methodical_model::{ErrorClass, Operation as _};
    ///
    /// let class = SearchPhotos::error_class(br#"{"stat":"fail","code":29}"#);
    /// assert_eq!(class, Some(ErrorClass::RateLimit));
    /// assert_eq!(NewestPhoto::error_class(b"{}"), None);
    /// ```
    fn error_class(body: &[u8]) -> Option<ErrorClass> {
        let has_classes = Self::BODY.verdict.is_some_and(|verdict| !verdict.classes.is_empty());
        if has_classes { whole::error_class(Self::BODY, body) } else { None }
    }
}

/// The result of decoding a response: a list, a record or another value, raw JSON, or `()` without data.
///
/// Do not implement this trait: it may change in any release.
pub trait Decoded: Sized {
    /// Decodes a whole body whose data is at `place`.
    #[doc(hidden)]
    fn decode(place: &'static Body, body: &[u8]) -> Result<Self, DecodeError>;

    /// Returns the records that were rejected; none if the response is not a list.
    fn rejected(&self) -> &[Rejected] {
        &[]
    }
}

impl<T: Record, M: Metadata> Decoded for Listing<T, M> {
    fn decode(place: &'static Body, body: &[u8]) -> Result<Self, DecodeError> {
        whole::list(place, body)
    }

    fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }
}

impl<V: Value<Owned = V>> Decoded for V {
    fn decode(place: &'static Body, body: &[u8]) -> Result<Self, DecodeError> {
        whole::value::<V>(place, body)
    }
}

impl Decoded for () {
    fn decode(place: &'static Body, body: &[u8]) -> Result<Self, DecodeError> {
        whole::nothing(place, body)
    }
}

/// An operation whose response is a list. Decode it record by record if it may be too long for memory.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::{ListOperation as _, Next};
///
/// let mut decoder = ListPhotos::new().decoder();
/// decoder.push(br#"[{"id":"1"},{"i"#);
/// assert!(matches!(decoder.next_record()?, Next::Item(photo) if photo.id.as_str() == "1"));
/// assert!(matches!(decoder.next_record()?, Next::NeedMore));
/// decoder.push(br#"d":"2"}]"#);
/// assert!(matches!(decoder.next_record()?, Next::Item(photo) if photo.id.as_str() == "2"));
/// decoder.finish();
/// assert!(matches!(decoder.next_record()?, Next::End));
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
pub trait ListOperation: Operation<Output = Listing<Self::Item, Self::Metadata>> {
    /// The type of the list's records.
    type Item: Record;

    /// The type of the list's metadata; `()` if the contract lists none.
    type Metadata: Metadata;

    /// Returns a decoder that accepts the body in pieces.
    fn decoder(&self) -> StreamDecoder<Self::Item, Self::Metadata> {
        stream::decoder(Self::BODY)
    }

    /// Decodes the whole body into records that borrow from it, without copying their strings.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Operation::decode`].
    fn decode_borrowed<'a>(
        &self,
        body: &'a [u8],
    ) -> Result<Listing<<Self::Item as Record>::Ref<'a>, Self::Metadata>, DecodeError> {
        whole::borrowed::<Self::Item, Self::Metadata>(Self::BODY, body)
    }
}
