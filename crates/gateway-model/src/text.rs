//! Short text without an allocation: what identifiers, dates and codes are stored in.

use alloc::boxed::Box;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

/// Text of any length; up to [`Text::INLINE`] bytes are kept in place.
///
/// A record of the gateway has four such texts, so four allocations less a record.
#[derive(Clone)]
pub(crate) struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Inline { len: u8, bytes: [u8; Text::INLINE] },
    Heap(Box<str>),
}

impl Text {
    /// As many bytes as fit in the size of a `String`.
    pub(crate) const INLINE: usize = 22;

    #[inline]
    pub(crate) fn new(text: &str) -> Self {
        let mut bytes = [0; Self::INLINE];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(room), Ok(len)) => {
                room.copy_from_slice(text.as_bytes());
                Self(Repr::Inline { len, bytes })
            }
            _ => Self(Repr::Heap(text.into())),
        }
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        match &self.0 {
            // The bytes were copied from a `str`, so neither default is ever taken.
            Repr::Inline { len, bytes } => {
                let bytes = bytes.get(..usize::from(*len)).unwrap_or_default();
                core::str::from_utf8(bytes).unwrap_or_default()
            }
            Repr::Heap(text) => text,
        }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

const _: () = assert!(size_of::<Option<Text>>() == 24, "no larger than a `String`");

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::Text;

    #[test]
    fn every_length_comes_back() {
        let source: String = "ążäöü-0123456789-abcdefghijklmnop".into();
        for (part, _) in (0..=source.len()).filter_map(|end| source.split_at_checked(end)) {
            assert_eq!(Text::new(part).as_str(), part);
        }
    }

    #[test]
    fn order_is_that_of_the_text() {
        let long = "b".repeat(40);
        assert!(Text::new("a") < Text::new(&long) && Text::new(&long) < Text::new("c"));
    }
}
