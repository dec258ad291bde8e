//! The exclusive right to deliver to a consumer.

use crate::feed::cursor::Identity;
use crate::fields::hash::Hasher;

/// A request for the exclusive right to deliver to a consumer of a mirror.
#[derive(Clone, Debug)]
pub(crate) struct Lease<'a> {
    pub(crate) consumer: &'a str,
    /// The same number in each process that delivers to the consumer.
    pub(crate) key: i64,
}

impl<'a> Lease<'a> {
    pub(crate) fn new(identity: &Identity, consumer: &'a str) -> Self {
        let hasher = Hasher::new(&identity.secret, "lease");
        let hash = hasher.hash(&[&identity.id, consumer.as_bytes()]).to_bytes();
        let key = hash.first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes));
        Self { consumer, key }
    }

    /// Returns the text of the error if another one has the right.
    pub(crate) fn refused(&self, holder: &str) -> String {
        let consumer = self.consumer;
        format!(
            "cannot deliver to `{consumer}`: {holder} is delivering to it; try again when it has finished"
        )
    }
}
