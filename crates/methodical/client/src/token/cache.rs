//! A client's token, and the single request to its source that all waiting calls share.

use std::error::Error as StdError;
use std::fmt;
use std::sync::{Arc, Mutex, RwLock};

use async_lock::OnceCell;

use crate::{AccessToken, Error, ErrorKind, TokenSource, unpoisoned};

#[cfg(test)]
mod tests;

/// A token source of a client, and the last token that the source returned.
pub(crate) struct TokenCache {
    source: Arc<dyn TokenSource>,
    /// Whether the service expects bearer tokens, which allow fewer characters than other secrets.
    is_bearer: bool,
    last: RwLock<Option<AccessToken>>,
    fetch: Mutex<Arc<Fetch>>,
}

/// A request to the source, shared by all calls that wait for it.
///
/// One of the calls drives it. If that call is dropped, another call starts over.
type Fetch = OnceCell<Fetched>;

/// The outcome of a request to the source, and the refused token that was passed to the source, if any.
struct Fetched {
    refused: Option<AccessToken>,
    result: Result<AccessToken, Arc<dyn StdError + Send + Sync>>,
}

impl TokenCache {
    pub(crate) fn new(source: Arc<dyn TokenSource>, is_bearer: bool) -> Self {
        Self { source, is_bearer, last: RwLock::new(None), fetch: Mutex::default() }
    }

    /// Returns the last token, if it is current.
    pub(crate) fn last_if_current(&self) -> Option<AccessToken> {
        self.last().filter(|token| self.source.is_current(token))
    }

    pub(crate) async fn current(&self) -> Result<AccessToken, Error> {
        self.fetch(None, |token| self.source.is_current(token)).await
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

    /// Returns the last token if `is_wanted` accepts it, otherwise the outcome of the next request to the source.
    async fn fetch(
        &self,
        refused: Option<&AccessToken>,
        is_wanted: impl Fn(&AccessToken) -> bool,
    ) -> Result<AccessToken, Error> {
        loop {
            let fetch = self.pending_fetch();
            // Read the last token only after `pending_fetch`: if a request has ended in between, this is its token.
            if let Some(token) = self.last().filter(&is_wanted) {
                return Ok(token);
            }
            let fetched = fetch.get_or_init(|| self.ask(refused)).await;
            // A source that did not know of the refusal had no reason to return another token, so ask again.
            if !refused.is_some_and(|refused| fetched.ignores(refused)) {
                return fetched.result.clone().map_err(no_token);
            }
        }
    }

    /// Returns the request that has no outcome yet, creating one if necessary.
    fn pending_fetch(&self) -> Arc<Fetch> {
        let mut fetch = unpoisoned(self.fetch.lock());
        if fetch.is_initialized() {
            *fetch = Arc::default();
        }
        Arc::clone(&fetch)
    }

    async fn ask(&self, refused: Option<&AccessToken>) -> Fetched {
        let result = self.source.token(refused).await.and_then(|token| {
            if self.is_bearer {
                token.check_bearer()?;
            }
            Ok(token)
        });
        let result = result.map_err(Arc::from);
        if let Ok(token) = &result {
            *unpoisoned(self.last.write()) = Some(token.clone());
        }
        Fetched { refused: refused.cloned(), result }
    }

    fn last(&self) -> Option<AccessToken> {
        unpoisoned(self.last.read()).clone()
    }
}

impl Fetched {
    /// Returns whether the source returned `refused` without knowing that the service had refused it.
    fn ignores(&self, refused: &AccessToken) -> bool {
        let is_refused = |token: &AccessToken| token == refused;
        self.result.as_ref().is_ok_and(is_refused) && !self.refused.as_ref().is_some_and(is_refused)
    }
}

fn no_token(error: Arc<dyn StdError + Send + Sync>) -> Error {
    Error::new(ErrorKind::Token, "cannot get an access token").because_shared(error)
}

impl fmt::Debug for TokenCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenCache(redacted)")
    }
}
