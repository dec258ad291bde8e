//! Where access tokens come from.

use std::sync::Arc;

use gateway_transport::{BoxError, BoxFuture};

use crate::AccessToken;

mod aside;
#[cfg(feature = "oauth2")]
mod client_credentials;
mod command;
mod environment;
mod file;
mod text;
mod tokens;

#[cfg(feature = "oauth2")]
pub use self::client_credentials::ClientCredentials;
pub use self::command::CommandToken;
pub use self::environment::EnvironmentToken;
pub use self::file::FileToken;
#[cfg(test)]
pub(crate) use self::text::MAX_LENGTH as TOKEN_LIMIT;
pub(crate) use self::tokens::Tokens;

/// Gives a client its access token. An [`AccessToken`] is the simplest source.
///
/// A client asks for a token when it has none, when [`is_current`](Self::is_current) says that the one it has is not,
/// and once for each call that the service answers with status 401; never after a 403. Calls that wait at the same time
/// share one question and what comes of it: a token, a failure, or that there is no other token.
///
/// # Examples
///
/// ```
/// use gateway_client::transport::{BoxError, BoxFuture};
/// use gateway_client::{AccessToken, TokenSource};
///
/// /// Asks a vault of our own.
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
    /// Returns a token. `refused` is the one that the service has just refused; if it is returned again, the call fails.
    ///
    /// The blocking client waits for the future on the calling thread, without a runtime. A call waits as long as it may
    /// take, a stream as long as any other call; then the future is dropped, and the next call that waits asks again.
    ///
    /// # Errors
    ///
    /// Whatever keeps the source from having a token. The text must not have a token in it: it is shown to people.
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>>;

    /// Returns whether a token that this source gave is still the one to use. It is asked before every call, so it must
    /// be quick. The default is yes.
    fn is_current(&self, _token: &AccessToken) -> bool {
        true
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

/// The same source for several clients, such as an async and a blocking one.
///
/// ```
/// use std::sync::Arc;
///
/// use gateway_client::{Client, EnvironmentToken, blocking};
/// # use gateway_client::transport::MemoryTransport;
///
/// let source = Arc::new(EnvironmentToken::new("GATEWAY_TOKEN"));
/// let client = Client::builder("https://gateway.example.com")
///     .token(Arc::clone(&source))
/// #   .transport(MemoryTransport::default())
///     .build()?;
/// let blocking = blocking::Client::builder("https://gateway.example.com")
///     .token(source)
/// #   .transport(MemoryTransport::default())
///     .build()?;
/// # Ok::<(), gateway_client::Error>(())
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

/// A source that is chosen at run time.
impl<S: TokenSource + ?Sized> TokenSource for Box<S> {
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
