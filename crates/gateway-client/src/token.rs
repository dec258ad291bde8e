//! Where access tokens come from, and how one is replaced when the service refuses it.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use async_lock::Mutex;
use gateway_transport::{BoxError, BoxFuture};

use crate::{AccessToken, Error, ErrorKind};

mod aside;
#[cfg(feature = "oauth2")]
mod client_credentials;
mod command;
mod environment;
mod file;

#[cfg(feature = "oauth2")]
pub use self::client_credentials::ClientCredentials;
pub use self::command::CommandToken;
pub use self::environment::EnvironmentToken;
pub use self::file::FileToken;

/// Gives a client its access token. An [`AccessToken`] is the simplest source.
///
/// A client asks for a token when it has none, when [`is_current`](Self::is_current) says that the one it has is not,
/// and once for each call that the service answers with status 401; never after a 403. Calls that run at the same time
/// share one question.
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

/// The source of a client and the token it gave last.
pub(crate) struct Tokens {
    source: Arc<dyn TokenSource>,
    last: RwLock<Option<AccessToken>>,
    /// Held while the source is asked, so that it is asked once however many calls wait.
    asking: Mutex<()>,
}

impl Tokens {
    pub(crate) fn new(source: Arc<dyn TokenSource>) -> Self {
        Self { source, last: RwLock::new(None), asking: Mutex::new(()) }
    }

    /// Returns the token to use.
    pub(crate) async fn current(&self) -> Result<AccessToken, Error> {
        let is_current = |token: &AccessToken| self.source.is_current(token);
        if let Some(token) = self.last().filter(is_current) {
            return Ok(token);
        }
        let _asking = self.asking.lock().await;
        // Another call may have asked while this one waited.
        match self.last().filter(is_current) {
            Some(token) => Ok(token),
            None => self.ask(None).await,
        }
    }

    /// Returns another token than `refused`, or `None` if the source has no other.
    pub(crate) async fn other_than(
        &self,
        refused: &AccessToken,
    ) -> Result<Option<AccessToken>, Error> {
        let other = |token: &AccessToken| !token.is(refused);
        let _asking = self.asking.lock().await;
        match self.last().filter(other) {
            // Another call has replaced it while this one waited.
            Some(token) => Ok(Some(token)),
            None => Ok(Some(self.ask(Some(refused)).await?).filter(other)),
        }
    }

    fn last(&self) -> Option<AccessToken> {
        self.last.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn ask(&self, refused: Option<&AccessToken>) -> Result<AccessToken, Error> {
        let token = self.source.token(refused).await.map_err(no_token)?;
        *self.last.write().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        Ok(token)
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens(redacted)")
    }
}

fn no_token(error: BoxError) -> Error {
    Error::new(ErrorKind::Token, "the token source has no token").because(error)
}
