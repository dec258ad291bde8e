//! The text of a token from a file, a command or an environment variable, which is limited in size and cleared from
//! memory. Also the source that reads an environment variable.

use std::env;
use std::io::{self, Read};

use gateway_transport::{BoxError, BoxFuture};
use zeroize::Zeroizing;

use crate::{AccessToken, TokenSource};

/// Maximum size of a token from a file or a command, in bytes. Servers do not accept a header of this size.
pub(crate) const MAX_LENGTH: usize = 64 * 1024;

/// Reads the text of a token. Returns `None` if it exceeds [`MAX_LENGTH`].
pub(super) fn read(source: impl Read) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    // Allocated for the maximum: a buffer that grows would leave copies of the token behind.
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_LENGTH + 2));
    source.take(MAX_LENGTH as u64 + 1).read_to_end(&mut text)?;
    Ok((text.len() <= MAX_LENGTH).then_some(text))
}

/// Parses a token, ignoring surrounding whitespace. Errors name `origin`, the source of the text.
pub(super) fn token(text: &[u8], origin: impl FnOnce() -> String) -> Result<AccessToken, BoxError> {
    let text =
        str::from_utf8(text).map_err(|_foreign| format!("{} is not UTF-8 text", origin()))?;
    Ok(AccessToken::secret(text.trim())?)
}

/// A token from an environment variable, read whenever a token is needed. Surrounding whitespace is ignored.
///
/// # Examples
///
/// ```no_run
#[doc = include_str!("../../doctests/photos.txt")]
/// use methodical_client::{Client, EnvironmentToken};
///
/// let client = Client::<Photos>::builder("https://gateway.example.com")
///     .token(EnvironmentToken::new("GATEWAY_TOKEN"))
///     .build()?;
/// # Ok::<(), methodical_client::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EnvironmentToken {
    variable: String,
}

impl EnvironmentToken {
    /// Creates a source that reads the environment variable named `variable`.
    pub fn new(variable: impl Into<String>) -> Self {
        Self { variable: variable.into() }
    }

    fn read(&self) -> Result<AccessToken, BoxError> {
        let text = env::var_os(&self.variable)
            .ok_or_else(|| format!("the environment variable {} is not set", self.variable))?;
        // Taken as bytes, so that this copy can be cleared.
        let text = Zeroizing::new(text.into_encoded_bytes());
        token(&text, || format!("the environment variable {}", self.variable))
    }
}

impl TokenSource for EnvironmentToken {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(std::future::ready(self.read()))
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LENGTH, read, *};

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

    #[test]
    fn reads_the_variable() {
        // Cargo sets this variable for every test.
        let source = EnvironmentToken::new("CARGO_PKG_NAME");
        let token = pollster::block_on(source.token(None)).unwrap();
        assert_eq!(token, AccessToken::new(env!("CARGO_PKG_NAME")).unwrap());
        let source = EnvironmentToken::new("GATEWAY_NO_SUCH_VARIABLE");
        let error = pollster::block_on(source.token(None)).unwrap_err();
        let text = "the environment variable GATEWAY_NO_SUCH_VARIABLE is not set";
        assert_eq!(error.to_string(), text);
    }
}
