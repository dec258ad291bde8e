//! The token of a client, for which the calls that wait for it ask once.

use std::fmt;
use std::sync::{Arc, RwLock};

use async_lock::Mutex;
use gateway_transport::BoxError;

use crate::{AccessToken, Error, ErrorKind, TokenSource, unpoisoned};

#[cfg(test)]
mod tests;

/// The token source of a client and the last token that it returned.
pub(crate) struct TokenCache {
    source: Arc<dyn TokenSource>,
    /// Whether the service expects bearer tokens, which have fewer characters than other secrets.
    is_bearer: bool,
    last: RwLock<Option<AccessToken>>,
    /// Held by the call that asks the source. The calls that wait for it then use its token.
    asking: Mutex<()>,
}

impl TokenCache {
    pub(crate) fn new(source: Arc<dyn TokenSource>) -> Self {
        Self { source, is_bearer: false, last: RwLock::new(None), asking: Mutex::new(()) }
    }

    /// Creates the cache of a source of bearer tokens.
    pub(crate) fn bearer(source: Arc<dyn TokenSource>) -> Self {
        Self { is_bearer: true, ..Self::new(source) }
    }

    /// Returns the last token, if it is current.
    pub(crate) fn last_if_current(&self) -> Option<AccessToken> {
        self.last().filter(|token| self.source.is_current(token))
    }

    /// Returns the token to use.
    pub(crate) async fn current(&self) -> Result<AccessToken, Error> {
        match self.last_if_current() {
            Some(token) => Ok(token),
            None => self.fetch(None, |token| self.source.is_current(token)).await,
        }
    }

    /// Returns a token other than `refused`, or `None` if the source has no other.
    pub(crate) async fn other_than(
        &self,
        refused: &AccessToken,
    ) -> Result<Option<AccessToken>, Error> {
        let is_other = |token: &AccessToken| token != refused;
        let token = self.fetch(Some(refused), is_other).await?;
        Ok(Some(token).filter(is_other))
    }

    /// Returns the last token if it is wanted, otherwise one from the source.
    async fn fetch(
        &self,
        refused: Option<&AccessToken>,
        is_wanted: impl Fn(&AccessToken) -> bool,
    ) -> Result<AccessToken, Error> {
        let _asking = self.asking.lock().await;
        // Another call may have asked in the meantime.
        if let Some(token) = self.last().filter(is_wanted) {
            return Ok(token);
        }
        let token = self.ask(refused).await.map_err(|error| {
            Error::new(ErrorKind::Token, "cannot get an access token").because(error)
        })?;
        *unpoisoned(self.last.write()) = Some(token.clone());
        Ok(token)
    }

    async fn ask(&self, refused: Option<&AccessToken>) -> Result<AccessToken, BoxError> {
        let token = self.source.token(refused).await?;
        if self.is_bearer {
            token.check_bearer()?;
        }
        Ok(token)
    }

    fn last(&self) -> Option<AccessToken> {
        unpoisoned(self.last.read()).clone()
    }
}

impl fmt::Debug for TokenCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenCache(redacted)")
    }
}
