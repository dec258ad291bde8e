//! The account and the service that a mirror is made from.

use crate::fields::hash::{Hash, Hasher, Secret, hex};

/// The account and the base URL that a mirror is made from. A mirror refuses any other source: its records would all be
/// missing.
///
/// The account is a name that you choose, such as that of a profile. It must stay the same when the token is renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    base_url: String,
    account: String,
}

impl Source {
    /// Creates a source from the base URL of the client and the name of the account.
    pub fn new(base_url: &str, account: &str) -> Self {
        // The host has no case; the path has.
        let base_url = base_url.trim_end_matches('/');
        let (scheme, rest) = base_url.split_once("://").unwrap_or(("", base_url));
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let separator = if path.is_empty() { "" } else { "/" };
        let base_url = format!(
            "{}://{}{separator}{path}",
            scheme.to_ascii_lowercase(),
            host.to_ascii_lowercase()
        );
        Self { base_url, account: account.to_owned() }
    }

    /// Returns a keyed hash of the source, which a store keeps.
    pub(crate) fn fingerprint(&self, secret: &Secret) -> String {
        let hasher = Hasher::new(secret, "source");
        hex(&hasher.hash(&[self.base_url.as_bytes(), self.account.as_bytes()]).to_bytes())
    }

    /// Returns whether this is the source of a mirror.
    pub(crate) fn is_of(&self, mirror: &Identity) -> bool {
        mirror.source == self.fingerprint(&mirror.secret)
    }
}

/// The identity of a mirror, and its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) id: [u8; 16],
    pub(crate) secret: Secret,
    /// The fingerprint of its source.
    pub(crate) source: String,
}

impl Identity {
    /// Returns the keyed hash of the identity of a record.
    pub(crate) fn record(&self, id: &str) -> Hash {
        self.records().hash(&[id.as_bytes()])
    }

    /// Returns the hasher for the identities of records.
    pub(crate) fn records(&self) -> Hasher {
        Hasher::new(&self.secret, "identity")
    }

    /// Returns a short keyed hash of bytes for one purpose.
    pub(crate) fn mark(&self, purpose: &str, parts: &[&[u8]]) -> String {
        hex(&Hasher::new(&self.secret, purpose).hash(parts).to_bytes()).chars().take(8).collect()
    }
}
