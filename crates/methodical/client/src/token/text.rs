//! The text of a token from a file, a command or a variable: limited in size, and cleared from memory.

use std::io::{self, Read};

use gateway_transport::BoxError;
use zeroize::Zeroizing;

use crate::AccessToken;

/// Maximum size of a token from a file or a command, in bytes. Servers accept no header of this size.
pub(crate) const MAX_LENGTH: usize = 64 * 1024;

/// Reads the text of a token. Returns `None` if it exceeds [`MAX_LENGTH`].
pub(super) fn read(source: impl Read) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    // With room for everything that is read: a buffer that grows would leave copies behind.
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_LENGTH + 2));
    source.take(MAX_LENGTH as u64 + 1).read_to_end(&mut text)?;
    Ok((text.len() <= MAX_LENGTH).then_some(text))
}

/// Creates a token from its text, without surrounding whitespace. `origin` names the origin of the text in errors.
pub(super) fn token(text: &[u8], origin: impl FnOnce() -> String) -> Result<AccessToken, BoxError> {
    let text =
        str::from_utf8(text).map_err(|_foreign| format!("{} is not UTF-8 text", origin()))?;
    Ok(AccessToken::secret(text.trim())?)
}

#[cfg(test)]
mod tests {
    use super::{MAX_LENGTH, read};

    #[test]
    fn is_read_up_to_its_limit_without_growing_the_buffer() {
        for length in [0, MAX_LENGTH - 1, MAX_LENGTH, MAX_LENGTH + 1] {
            let text = "x".repeat(length);
            let read = read(text.as_bytes()).unwrap();
            assert_eq!(read.is_some(), length <= MAX_LENGTH, "{length}");
            assert!(
                read.is_none_or(|read| read.len() == length && read.capacity() == MAX_LENGTH + 2)
            );
        }
    }
}
