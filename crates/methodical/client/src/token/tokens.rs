//! The tokens of a call: none, one, or one for each secret of the service.

use std::sync::Arc;

use methodical_model::Auth;

use crate::token::cache::TokenCache;
use crate::{AccessToken, Error, ErrorKind, TokenSource};

/// The tokens of a call, in the order of the secrets.
pub(crate) type Tokens = Vec<AccessToken>;

/// The sources of a client's tokens, in the order of the secrets.
#[derive(Debug)]
pub(crate) struct Sources(Vec<TokenCache>);

impl Sources {
    /// Creates the sources that a service needs: `token` for a bearer token or the first secret, and `named` for
    /// secrets by name. Fails if a source is missing, or if a name is not one of the service's secrets.
    pub(crate) fn new(
        auth: Auth,
        mut token: Option<Arc<dyn TokenSource>>,
        mut named: Vec<(String, Arc<dyn TokenSource>)>,
    ) -> Result<Self, Error> {
        let mut sources = Vec::new();
        if auth == Auth::Bearer {
            let token = token.take().ok_or_else(|| {
                Error::config("the client has no access token; set one with `ClientBuilder::token`")
            })?;
            sources.push(TokenCache::new(token, true));
        }
        for (index, secret) in auth.secrets().iter().enumerate() {
            let given = named.iter().position(|(name, _)| name == secret.name());
            let source = match given.map(|given| named.swap_remove(given).1) {
                None if index == 0 => token.take(),
                source => source,
            };
            let source = source.ok_or_else(|| {
                let setter = if index == 0 { "token" } else { "secret" };
                let text = format!(
                    "the client has no secret `{}`; set it with `ClientBuilder::{setter}`",
                    secret.name()
                );
                Error::new(ErrorKind::Config, text)
            })?;
            sources.push(TokenCache::new(source, false));
        }
        match named.first() {
            None => Ok(Self(sources)),
            Some((name, _)) => {
                let text = format!("the service has no secret `{name}`; remove it");
                Err(Error::new(ErrorKind::Config, text))
            }
        }
    }

    /// Returns the last tokens, if all are current.
    pub(crate) fn last_if_current(&self) -> Option<Tokens> {
        self.0.iter().map(TokenCache::last_if_current).collect()
    }

    pub(crate) async fn current(&self) -> Result<Tokens, Error> {
        let mut tokens = Tokens::with_capacity(self.0.len());
        for source in &self.0 {
            tokens.push(source.current().await?);
        }
        Ok(tokens)
    }

    /// Replaces each refused token whose source has another token. Returns `None` if no source has one.
    pub(crate) async fn other_than(&self, refused: &Tokens) -> Result<Option<Tokens>, Error> {
        let (mut tokens, mut differs) = (refused.clone(), false);
        for (source, token) in self.0.iter().zip(&mut tokens) {
            if let Some(other) = source.other_than(token).await? {
                (*token, differs) = (other, true);
            }
        }
        Ok(differs.then_some(tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_without_a_bearer_token_is_not_built() {
        let error = Sources::new(Auth::Bearer, None, Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        let text = "the client has no access token; set one with `ClientBuilder::token`";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn debug_shows_no_token() {
        let token = AccessToken::new("gwt_CANARY").unwrap();
        assert_eq!(format!("{token:?}"), "AccessToken(redacted)");
        let sources = Sources::new(Auth::Bearer, Some(Arc::new(token)), Vec::new()).unwrap();
        pollster::block_on(sources.current()).unwrap();
        assert_eq!(format!("{sources:?}"), "Sources([TokenCache(redacted)])");
    }
}
