//! Wrong tokens: limited for each client, before the database is asked.

use std::sync::Mutex;
use std::time::Duration;

use crate::front::client::ClientKey;
use crate::front::limit::RateLimits;
use crate::front::recent::Recent;
use crate::lock::lock;
use crate::token::TokenDigest;

/// The limit on wrong tokens, and the tokens that were valid when they were last used.
///
/// A token that was valid may always ask the database, so that wrong tokens of the same client do not keep it out. It
/// gains nothing else: the database decides for each request whether the token is valid.
#[derive(Debug)]
pub(crate) struct Guesses {
    wrong: RateLimits<ClientKey>,
    valid: Mutex<Recent<TokenDigest, ()>>,
}

impl Guesses {
    /// Creates a limit of `rate` wrong tokens per minute and client; 0 means no limit.
    pub(crate) fn per_minute(rate: u32) -> Self {
        Self { wrong: RateLimits::per_minute(rate), valid: Mutex::new(Recent::new(MAX_TOKENS)) }
    }

    /// Returns whether the token was valid when it was last used.
    pub(crate) fn was_valid(&self, token: &TokenDigest) -> bool {
        lock(&self.valid).get(token).is_some()
    }

    /// Returns how long the client has to wait before it may use another token.
    pub(crate) fn check(&self, client: Option<&ClientKey>) -> Result<(), Duration> {
        client.map_or(Ok(()), |client| self.wrong.check(client))
    }

    /// Records that a token is valid.
    pub(crate) fn valid(&self, token: TokenDigest) {
        lock(&self.valid).insert(token, ());
    }

    /// Records that a client used a token that is not valid.
    pub(crate) fn wrong(&self, token: &TokenDigest, client: Option<&ClientKey>) {
        lock(&self.valid).remove(token);
        if let Some(client) = client {
            self.wrong.count(client);
        }
    }
}

/// Maximum number of tokens that are remembered as valid.
const MAX_TOKENS: usize = 64 * 1024;
