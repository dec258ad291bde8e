//! Sources of access tokens.

use std::sync::Arc;

use gateway_transport::{BoxError, BoxFuture, MaybeSend};

use crate::AccessToken;

mod cache;
mod command;
mod file;
pub(crate) mod text;
mod tokens;

pub use self::command::CommandToken;
pub use self::file::FileToken;
pub use self::text::EnvironmentToken;
pub(crate) use self::tokens::{Sources, Tokens};

/// A source of access tokens. Implement this trait, or use [`token_fn`], if no source in this crate fits.
///
/// A client asks its source for a token if the client has none, if [`is_current`](Self::is_current) returns false, or
/// if the service responds with status 401 (at most once per call, and never for status 403). Calls that need a token
/// at the same time share a single request to the source, and its outcome: a token, a failure, or no new token.
///
/// # Examples
///
/// ```
/// use methodical_client::transport::{BoxError, BoxFuture};
/// use methodical_client::{AccessToken, TokenSource};
///
/// /// Reads tokens from a vault.
/// struct Vault;
///
/// impl TokenSource for Vault {
///     fn token<'a>(
///         &'a self,
///         _refused: Option<&'a AccessToken>,
///     ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
///         Box::pin(async { Ok(AccessToken::new("gwt_from_the_vault")?) })
///     }
/// }
/// ```
pub trait TokenSource: Send + Sync + 'static {
    /// Returns a token. If the service has just refused a token, `refused` is that token. Returning it again makes the
    /// call fail.
    ///
    /// If several clients share the source, `refused` may be older than the source's current token. Get a new token
    /// only if the two are equal.
    ///
    /// A call, or the start of a stream, waits no longer than the call timeout. If the timeout expires, the future is
    /// dropped, and the next waiting call asks again. A call that begins after a failure also asks again.
    ///
    /// The blocking client polls the future on the calling thread, without a runtime. A source that needs a runtime
    /// must provide one, for example by spawning its work on a `tokio::runtime::Handle` and awaiting the task.
    /// Otherwise the source usually panics, and the panic reaches the caller.
    ///
    /// # Errors
    ///
    /// Fails if the source has no token. The error message is shown to users, so it must not contain a token.
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>>;

    /// Returns whether a token from this source is still the one to use. Default: true.
    ///
    /// The client asks before every call, so this must return quickly.
    fn is_current(&self, _token: &AccessToken) -> bool {
        true
    }
}

/// Creates a source that gets its tokens from an async function.
///
/// The function receives the token that the service has just refused, if any; see [`TokenSource::token`].
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{AccessToken, Client, token_fn};
///
/// let client = Client::<Photos>::builder("https://gateway.example.com")
///     .token(token_fn(|_refused| async { AccessToken::new("gwt_from_the_vault") }))
///     .transport(MemoryTransport::default())
///     .build()?;
/// # Ok::<(), methodical_client::Error>(())
/// ```
pub fn token_fn<F, Fut, E>(function: F) -> impl TokenSource
where
    F: Fn(Option<AccessToken>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<AccessToken, E>> + MaybeSend + 'static,
    E: Into<BoxError> + 'static,
{
    TokenFn(function)
}

struct TokenFn<F>(F);

impl<F, Fut, E> TokenSource for TokenFn<F>
where
    F: Fn(Option<AccessToken>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<AccessToken, E>> + MaybeSend + 'static,
    E: Into<BoxError> + 'static,
{
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        let token = (self.0)(refused.cloned());
        Box::pin(async { token.await.map_err(Into::into) })
    }
}

impl TokenSource for AccessToken {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(std::future::ready(Ok(self.clone())))
    }
}

/// Use an `Arc` for a source that is chosen at run time, or that several clients share, such as an async and a blocking
/// client.
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use std::sync::Arc;
///
/// use methodical_client::{Client, EnvironmentToken, blocking};
/// # use methodical_client::transport::MemoryTransport;
///
/// let source = Arc::new(EnvironmentToken::new("GATEWAY_TOKEN"));
/// let client = Client::<Photos>::builder("https://gateway.example.com")
///     .token(Arc::clone(&source))
/// #   .transport(MemoryTransport::default())
///     .build()?;
/// let blocking = blocking::Client::<Photos>::builder("https://gateway.example.com")
///     .token(source)
/// #   .transport(MemoryTransport::default())
///     .build()?;
/// # Ok::<(), methodical_client::Error>(())
/// ```
impl<S: TokenSource + ?Sized> TokenSource for Arc<S> {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        (**self).token(refused)
    }

    fn is_current(&self, token: &AccessToken) -> bool {
        (**self).is_current(token)
    }
}

#[cfg(test)]
mod tests {
    use gateway_transport::MemoryTransport;

    use super::*;
    use crate::tests::{BlockingClient, any_json};

    fn token() -> AccessToken {
        AccessToken::new("gwt_new").unwrap()
    }

    #[test]
    fn a_source_may_bring_its_runtime_to_the_blocking_client() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build();
        let runtime = runtime.unwrap();
        let response = http::Response::builder().header("content-type", "application/json");
        let transport = MemoryTransport::new([Ok(response.body("[]".into()).unwrap())]);
        let builder = BlockingClient::builder("https://gateway.example.com");
        let handle = runtime.handle().clone();
        let builder = builder.token(token_fn(move |_refused| handle.spawn(async { token() })));
        assert!(builder.transport(transport).build().unwrap().send(&any_json()).is_ok());
    }
}
