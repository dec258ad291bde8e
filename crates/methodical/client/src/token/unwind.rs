//! Panics of a token source.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use gateway_transport::{BoxError, BoxFuture};

use crate::{AccessToken, TokenSource};

/// A source whose panics are errors, for a caller without the async runtime that the source may need.
pub(crate) struct CatchUnwind(pub(crate) Arc<dyn TokenSource>);

impl TokenSource for CatchUnwind {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(async move {
            let mut token = catch(|| self.0.token(refused))?;
            // After a panic the future is not polled again.
            poll_fn(|context| {
                catch(|| token.as_mut().poll(context))
                    .unwrap_or_else(|error| Poll::Ready(Err(error)))
            })
            .await
        })
    }

    fn is_current(&self, token: &AccessToken) -> bool {
        self.0.is_current(token)
    }
}

/// Calls `source` and catches its panic.
///
/// The error does not contain the text of the panic, in which there may be a token.
fn catch<T>(source: impl FnOnce() -> T) -> Result<T, BoxError> {
    catch_unwind(AssertUnwindSafe(source)).map_err(|_panic| PANICKED.into())
}

const PANICKED: &str = "the token source panicked; if it needs an async runtime, it must spawn its work on one, because the \
                        blocking client has none";

#[cfg(test)]
mod tests {
    use gateway_transport::{BoxError, BoxFuture, MemoryTransport};
    use http::Response;
    use tokio::runtime::Handle;

    use crate::tests::{BlockingClient, any_json};
    use crate::{AccessToken, ErrorKind, TokenSource};

    /// A source that spawns its work on a tokio runtime: this one, or the one that polls it.
    struct OnTokio(Option<Handle>);

    impl TokenSource for OnTokio {
        fn token<'a>(
            &'a self,
            _refused: Option<&'a AccessToken>,
        ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
            Box::pin(async {
                let runtime = self.0.clone().unwrap_or_else(Handle::current);
                Ok(runtime.spawn(async { AccessToken::new("gwt_x") }).await??)
            })
        }
    }

    fn client(source: impl TokenSource) -> BlockingClient {
        let response = Response::builder().header("content-type", "application/json");
        let transport = MemoryTransport::new([Ok(response.body("[]".into()).unwrap())]);
        let builder = BlockingClient::builder("https://gateway.example.com").token(source);
        builder.transport(transport).build().unwrap()
    }

    #[test]
    fn a_source_without_its_runtime_is_an_error_of_the_blocking_client() {
        let error = client(OnTokio(None)).send(&any_json()).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Token, 0));
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.starts_with("the token source panicked; "), "{cause}");
    }

    #[test]
    fn a_source_may_bring_its_runtime_to_the_blocking_client() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build();
        let runtime = runtime.unwrap();
        let client = client(OnTokio(Some(runtime.handle().clone())));
        assert!(client.send(&any_json()).is_ok());
    }
}
