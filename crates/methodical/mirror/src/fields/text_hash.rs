//! Keyed hashes of the texts of records: a record whose text did not change need not be read.

use std::fmt;

use siphasher::sip::SipHasher24;

use crate::fields::hash::{Hash, Hasher, Secret, hex};

/// The keyed hash of a record's text, as the service sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextHash([u8; 8]);

/// Hashes texts with the secret of a mirror.
///
/// SipHash-2-4 is a pseudorandom function as HMAC-SHA-256 is, and takes half the time for a text of this length. Without the
/// secret, a text can neither be guessed from its hash nor be written to have the hash of another one.
pub(crate) struct TextHasher {
    hasher: SipHasher24,
    name: String,
}

impl TextHasher {
    /// Creates the hasher for texts that are read in one way. If the same text is read in another way, it has another hash.
    pub(crate) fn new(secret: &Secret, reading: &str) -> Self {
        let parts = [env!("CARGO_PKG_VERSION").as_bytes(), reading.as_bytes()];
        let key = Hasher::new(secret, "text").hash(&parts);
        let name = hex(&Hasher::new(secret, "name of a text hasher").hash(&parts).to_bytes());
        Self { hasher: SipHasher24::new_with_key(&key.to_bytes()), name }
    }

    pub(crate) fn hash(&self, text: &str) -> TextHash {
        TextHash(self.hasher.hash(text.as_bytes()).to_le_bytes())
    }

    /// Returns a name that each way of reading has for its own.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Returns the bytes of the column `mirror_hash`: the hash of the meaning, and that of the text.
pub(crate) fn joined(meaning: Hash, text: TextHash) -> [u8; 24] {
    let mut bytes = [0; 24];
    for (to, from) in bytes.iter_mut().zip(meaning.to_bytes().into_iter().chain(text.0)) {
        *to = from;
    }
    bytes
}

/// Returns the hashes of the meaning and of the text from the column `mirror_hash`. A row that was repaired, and one of an older
/// release, have no hash of the text.
pub(crate) fn split(bytes: &[u8]) -> (Option<Hash>, Option<TextHash>) {
    match bytes.split_first_chunk() {
        Some((meaning, text)) => {
            (Some(Hash::from_bytes(*meaning)), text.try_into().ok().map(TextHash))
        }
        None => (None, None),
    }
}

/// Does not print the key.
impl fmt::Debug for TextHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextHasher").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::TextHasher;
    use crate::fields::hash::Secret;

    #[test]
    fn a_column_has_both_hashes_or_that_of_the_meaning() {
        use super::{joined, split};
        use crate::fields::hash::Hash;

        let meaning = Hash::from_bytes(*b"0123456789abcdef");
        let text = TextHasher::new(&Secret::from_bytes([1; 32]), "").hash("{}");
        assert_eq!(split(&joined(meaning, text)), (Some(meaning), Some(text)));
        assert_eq!(split(b"0123456789abcdef"), (Some(meaning), None));
        assert_eq!(split(b"0123456789abcdef0"), (Some(meaning), None));
        assert_eq!(split(b"0123456789abcde"), (None, None));
    }

    #[test]
    fn a_hash_depends_on_the_secret_the_reading_and_the_text() {
        let hasher =
            |secret: u8, reading| TextHasher::new(&Secret::from_bytes([secret; 32]), reading);
        let one = hasher(1, "as a photo");
        assert_eq!(one.hash("{}"), hasher(1, "as a photo").hash("{}"));
        assert_eq!(one.name(), hasher(1, "as a photo").name());
        assert_ne!(one.hash("{}"), one.hash("{ }"));
        for other in [hasher(2, "as a photo"), hasher(1, "as a video")] {
            assert_ne!(one.hash("{}"), other.hash("{}"));
            assert_ne!(one.name(), other.name());
        }
    }
}
