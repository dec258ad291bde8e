//! Values in the text of a failure. Bytes are shown as text with escapes, because most of them are HTTP.

use bytes::Bytes;
use gateway_transport::{Phase, Sent};

/// A value that a check compares.
pub(super) trait Show {
    /// Returns the value as text.
    fn show(&self) -> String;
}

impl Show for [u8] {
    fn show(&self) -> String {
        format!("\"{}\"", self.escape_ascii())
    }
}

impl<T: Show> Show for [T] {
    fn show(&self) -> String {
        let values: Vec<_> = self.iter().map(Show::show).collect();
        format!("[{}]", values.join(", "))
    }
}

impl<T, const N: usize> Show for [T; N]
where
    [T]: Show,
{
    fn show(&self) -> String {
        self.as_slice().show()
    }
}

impl<T> Show for Vec<T>
where
    [T]: Show,
{
    fn show(&self) -> String {
        self.as_slice().show()
    }
}

impl Show for Bytes {
    fn show(&self) -> String {
        self.as_ref().show()
    }
}

impl<T: Show + ?Sized> Show for &T {
    fn show(&self) -> String {
        (**self).show()
    }
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "nothing".to_owned(), Show::show)
    }
}

impl<A: Show, B: Show> Show for (A, B) {
    fn show(&self) -> String {
        format!("({}, {})", self.0.show(), self.1.show())
    }
}

macro_rules! as_debug {
    ($($plain:ty),+ $(,)?) => {$(
        impl Show for $plain {
            fn show(&self) -> String {
                format!("{self:?}")
            }
        }
    )+};
}

as_debug!(Phase, Sent, String, bool, str, u16, usize);

#[cfg(test)]
mod tests {
    use super::Show;

    #[test]
    fn bytes_are_shown_as_text() {
        assert_eq!(b"a\xe9\r\n".show(), r#""a\xe9\r\n""#);
        assert_eq!(vec![b"a".to_vec(), b"\"".to_vec()].show(), r#"["a", "\""]"#);
        assert_eq!(Some(vec![&b"x"[..]]).show(), r#"["x"]"#);
        assert_eq!((200_u16, &b"{}"[..]).show(), r#"(200, "{}")"#);
        assert_eq!(None::<u16>.show(), "nothing");
    }
}
