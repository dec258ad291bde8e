//! The text of a token from outside: no more than a token may have, and no copy of it left behind.

use std::io::{self, Read};

use gateway_transport::BoxError;
use zeroize::Zeroizing;

use crate::AccessToken;

/// How long a token may be that comes from a file or a program, in bytes: longer than any header that a server takes.
pub(crate) const MAX_LENGTH: usize = 64 * 1024;

/// Reads the text of a token, or `None` if it is longer than one may be.
pub(super) fn read(source: impl Read) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    // Room for all that is ever read: a buffer that grew would leave its old places behind.
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_LENGTH + 2));
    source.take(MAX_LENGTH as u64 + 1).read_to_end(&mut text)?;
    Ok((text.len() <= MAX_LENGTH).then_some(text))
}

/// Makes a token of its text, without the white space around it. `place` is where it is from, for a person.
pub(super) fn token(text: &[u8], place: impl FnOnce() -> String) -> Result<AccessToken, BoxError> {
    let text = str::from_utf8(text).map_err(|_foreign| format!("{} is no text", place()))?;
    Ok(AccessToken::new(text.trim())?)
}

#[cfg(test)]
mod tests {
    use super::{MAX_LENGTH, read};

    #[test]
    fn is_read_to_its_limit_in_one_place() {
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
