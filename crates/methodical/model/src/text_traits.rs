//! The traits of types whose value is text: text scalars and enums.

/// Implements what a type with `as_str` can do as text.
#[doc(hidden)]
#[macro_export]
macro_rules! __as_text {
    ($name:ident) => {
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl PartialEq<$name> for str {
            fn eq(&self, other: &$name) -> bool {
                self == other.as_str()
            }
        }

        impl PartialEq<$name> for &str {
            fn eq(&self, other: &$name) -> bool {
                *self == other.as_str()
            }
        }

        impl From<$name> for $crate::codegen::String {
            fn from(value: $name) -> Self {
                Self::from(value.as_str())
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl $crate::codegen::serde::Serialize for $name {
            fn serialize<S: $crate::codegen::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

/// Implements the conversions of a type that can be created from any text.
#[doc(hidden)]
#[macro_export]
macro_rules! __from_text {
    ($name:ident) => {
        impl core::str::FromStr for $name {
            type Err = core::convert::Infallible;

            /// Keeps the text unchanged, and never fails.
            fn from_str(text: &str) -> Result<Self, core::convert::Infallible> {
                Ok(Self::from(text))
            }
        }

        impl From<$crate::codegen::String> for $name {
            fn from(text: $crate::codegen::String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl From<$crate::codegen::Cow<'_, str>> for $name {
            #[inline]
            fn from(text: $crate::codegen::Cow<'_, str>) -> Self {
                Self::from(&*text)
            }
        }

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                value.clone()
            }
        }
    };
}

/// Implements the order of text. `Borrow` requires that it is also that of the type.
#[doc(hidden)]
#[macro_export]
macro_rules! __compared_as_text {
    ($name:ident) => {
        impl Ord for $name {
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                self.as_str().cmp(other.as_str())
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        $crate::__borrowed_as_text! { $name }
    };
}

/// Implements `Borrow`, so that a map can be searched with text. Equality and hash must be those of text, and so must
/// the order of an ordered type.
#[doc(hidden)]
#[macro_export]
macro_rules! __borrowed_as_text {
    ($name:ident) => {
        impl core::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }
    };
}
