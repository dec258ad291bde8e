//! Cursors: opaque positions in the feed of one mirror.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};
use crate::fields::hash::{Hasher, Secret, hex};

/// A position in the feed of one mirror: after its last change that was read. Keep its text; the text has no other use.
///
/// ```
/// use methodical_mirror::{Cursor, ErrorKind};
///
/// assert_eq!("yesterday".parse::<Cursor>().unwrap_err().kind(), ErrorKind::Cursor);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor(String);

impl Cursor {
    /// Creates the cursor of a position.
    pub(crate) fn new(mirror: &Identity, position: i64) -> Self {
        let id = hex(&mirror.id);
        Self(format!("m1.{id}.{position}.{}", check(mirror, position)))
    }

    /// Returns the position in the feed of this mirror.
    pub(crate) fn position(&self, mirror: &Identity) -> Result<i64, Error> {
        let mut parts = self.0.split('.').skip(1);
        if parts.next() != Some(&hex(&mirror.id)) {
            return Err(refused("the cursor belongs to another mirror"));
        }
        let position = parts.next().and_then(|text| text.parse().ok());
        match position {
            // A position has one text: `+41` and `041` are damaged.
            Some(position) if *self == Self::new(mirror, position) => Ok(position),
            _ => Err(refused("the cursor is damaged")),
        }
    }
}

/// Creates the error of a cursor that cannot be used.
pub(crate) fn refused(why: &str) -> Error {
    Error::new(ErrorKind::Cursor, format!("cannot read the changes: {why}; take a new snapshot"))
}

/// The identity of a mirror, and its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) id: [u8; 16],
    pub(crate) secret: Secret,
    /// The fingerprint of its source. Empty for a mirror in memory, which has no source.
    pub(crate) source: String,
}

impl Identity {
    /// Returns a short keyed hash of an access token.
    pub(crate) fn mark(&self, token: &str) -> String {
        let hash = Hasher::new(&self.secret, "token").hash(&[token.as_bytes()]).to_bytes();
        hex(&hash).chars().take(8).collect()
    }
}

fn check(mirror: &Identity, position: i64) -> String {
    let hasher = Hasher::new(&mirror.secret, "cursor");
    let hash = hasher.hash(&[&mirror.id, &position.to_le_bytes()]).to_bytes();
    hex(&hash).chars().take(8).collect()
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.starts_with("m1.") && text.split('.').count() == 4 {
            return Ok(Self(text.to_owned()));
        }
        Err(refused("the text is not a cursor"))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Identity};
    use crate::fields::hash::Secret;

    #[test]
    fn only_a_cursor_of_this_mirror_has_a_position() {
        let secret = Secret::from_bytes([1; 32]);
        let mirror = Identity { id: [7; 16], secret, source: String::new() };
        let cursor = Cursor::new(&mirror, 41);
        assert_eq!(cursor.to_string().parse::<Cursor>().unwrap().position(&mirror).unwrap(), 41);

        let refused = |text: &str, mirror: &Identity| {
            text.parse::<Cursor>()
                .and_then(|cursor| cursor.position(mirror))
                .unwrap_err()
                .to_string()
        };
        let other = Identity { id: [8; 16], ..mirror.clone() };
        assert_eq!(
            refused(&cursor.to_string(), &other),
            "cannot read the changes: the cursor belongs to another mirror; take a new snapshot"
        );
        let with = |position: &str| cursor.to_string().replace(".41.", position);
        for damaged in [with(".42."), with(".+41."), with(".041."), format!("{cursor}0")] {
            assert!(refused(&damaged, &mirror).contains("the cursor is damaged"), "{damaged}");
        }
    }
}
