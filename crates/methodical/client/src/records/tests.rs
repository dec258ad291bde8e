//! Lists that both clients stream.

use std::sync::Arc;

use bytes::Bytes;
use gateway_transport::{TransportError, blocking_transport_fn, transport_fn};
use http::HeaderMap;
use http_body::Frame;

use super::*;
use crate::Client;
use crate::tests::{Photos, SearchPhotos, async_builder, blocking_builder, json};

/// A body with trailers, whose frames are all ready.
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
        Ok(json(body))
    });
    async_builder().transport(transport).build().unwrap()
}

#[tokio::test]
async fn trailers_neither_end_nor_complete_a_list() {
    let whole = client(r#"{"photos":{"photo":[{"id":"1"}]},"stat":"ok"}"#);
    let mut records = whole.stream(&SearchPhotos).await.unwrap();
    assert!(records.next().await.unwrap().is_ok());
    assert!(records.next().await.is_none());

    let truncated = client(r#"{"stat":"ok","photos":{"photo":[{"id":"1"},"#);
    let mut records = truncated.stream(&SearchPhotos).await.unwrap();
    assert!(records.next().await.unwrap().is_ok());
    let error = records.next().await.unwrap().unwrap_err();
    assert_eq!(error.delivered(), Some(1));
    assert!(records.next().await.is_none());
}

#[tokio::test]
async fn a_rejected_record_is_an_error_of_a_strict_client() {
    const LIST: &str = r#"{"stat":"ok","photos":{"photo":[{"id":"1"},7,{"id":"2"}]}}"#;
    let response = || Ok(json(Bytes::from(LIST)));
    let strict = async_builder()
        .transport(gateway_transport::MemoryTransport::new([response(), response()]))
        .strict()
        .build()
        .unwrap();
    let error = strict.send(&SearchPhotos).await.unwrap_err();
    assert_eq!(error.kind(), crate::ErrorKind::Decode);
    let mut records = strict.stream(&SearchPhotos).await.unwrap();
    assert!(records.next().await.unwrap().is_ok());
    let error = records.next().await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.delivered()), (crate::ErrorKind::Decode, Some(1)));
    assert!(records.next().await.is_none());
}

#[test]
fn the_body_is_dropped_after_the_last_record_or_an_error() {
    for list in [
        r#"{"stat":"ok","photos":{"photo":[{"id":"1"}]}}"#,
        r#"{"stat":"ok","photos":{"photo":[{"id":"1"},"#,
    ] {
        let alive = Arc::new(());
        let body = Arc::clone(&alive);
        let transport = blocking_transport_fn(move |_| {
            let alive = Arc::clone(&body);
            let chunks =
                std::iter::once(Ok(list.into())).inspect(move |_| drop(Arc::clone(&alive)));
            Ok(json(BlockingBody::from_chunks(chunks)))
        });
        let client = blocking_builder().transport(transport).build().unwrap();
        let mut records = client.stream(&SearchPhotos).unwrap();
        assert!(records.next().unwrap().is_ok());
        let before = Arc::strong_count(&alive);
        assert!(records.next().is_none_or(|cut| cut.is_err()), "{list}");
        assert_eq!(Arc::strong_count(&alive), before - 1, "{list}");
    }
}
