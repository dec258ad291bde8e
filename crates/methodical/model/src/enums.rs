//! Enums of strings: an open enum keeps an unknown value, a closed enum rejects it.

use crate::DecodeError;

/// Creates the error of a value that a closed enum does not list.
#[cold]
pub fn not_listed(name: &str) -> DecodeError {
    DecodeError::conversion(name, "a listed value")
}

/// Defines an enum of known strings. An open enum names a type for unknown values; a closed enum,
/// for which the service guarantees that no other value occurs, does not. The example uses a string
/// that is not listed.
#[doc(hidden)]
#[macro_export]
macro_rules! __wire_enum {
    (
        $(#[$attribute:meta])*
        $name:ident, $unknown:ident, $expecting:literal, not $unlisted:literal,
        { $($(#[$value_attribute:meta])* $variant:ident = $wire:literal),+ $(,)? }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$value_attribute])* $variant,)+
            /// A value that this version does not know. It can only be created from text, and keeps it: `as_str`, `Display` and
            /// serde return the text of the service unchanged.
            ///
            /// A later version may add a variant for the value. Code that compares the text, such as
            /// `value.as_str() == "new"`, works with both versions; a pattern with `Unknown` works only until then.
            Unknown($unknown),
        }

        #[doc = concat!("The text of a [`", stringify!($name), "`] that this version does not know.")]
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $unknown($crate::codegen::SmolStr);

        impl $name {
            /// All values known to this version of the crate.
            pub const KNOWN: &[Self] = &[$(Self::$variant),+];

            /// Returns the text on the wire.
            #[inline]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $wire,)+
                    Self::Unknown(unknown) => unknown.as_str(),
                }
            }

            /// Returns whether this version knows the value.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert!(", stringify!($name), "::KNOWN.iter().all(", stringify!($name), "::is_known));")]
            #[doc = concat!("assert!(!", stringify!($name), "::from(\"", $unlisted, "\").is_known());")]
            /// ```
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Unknown(_))
            }
        }

        impl $unknown {
            /// Returns the text on the wire.
            #[inline]
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl core::fmt::Debug for $unknown {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {
                    $(Self::$variant => f.write_str(stringify!($variant)),)+
                    Self::Unknown(unknown) => f.debug_tuple("Unknown").field(unknown).finish(),
                }
            }
        }

        impl From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                match text {
                    $($wire => Self::$variant,)+
                    _ => Self::Unknown($unknown($crate::codegen::SmolStr::new(text))),
                }
            }
        }

        $crate::__from_text! { $name }
        $crate::__as_text! { $name }
        $crate::codegen::with_random! { $name }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::codegen::deserialize_text(deserializer, $expecting).map(Self::from)
            }
        }

        $crate::__copied!(
            $name,
            $crate::codegen::leaf::<Self>("text", $crate::codegen::Kind::texts(&[$($wire),+], true)),
            |cursor| cursor.text().map(Self::from)
        );
    };
    (
        $(#[$attribute:meta])*
        $name:ident, $expecting:literal, not $unlisted:literal,
        { $($(#[$value_attribute:meta])* $variant:ident = $wire:literal),+ $(,)? }
    ) => {
        $(#[$attribute])*
        #[expect(clippy::exhaustive_enums, reason = "the service guarantees that no other value occurs")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$value_attribute])* $variant,)+
        }

        impl $name {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the text on the wire.
            #[inline]
            pub const fn as_str(&self) -> &'static str {
                match self {
                    $(Self::$variant => $wire,)+
                }
            }

            /// Returns the value with this text, or `None` if the contract does not list it.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::from_text(\"", $unlisted, "\"), None);")]
            /// ```
            pub fn from_text(text: &str) -> Option<Self> {
                match text {
                    $($wire => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl core::str::FromStr for $name {
            type Err = $crate::DecodeError;

            /// Returns the value with this text.
            ///
            /// # Errors
            ///
            /// [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the contract does not
            /// list the text.
            fn from_str(text: &str) -> Result<Self, $crate::DecodeError> {
                Self::from_text(text).ok_or_else(|| $crate::codegen::not_listed(stringify!($name)))
            }
        }

        $crate::__as_text! { $name }
        $crate::codegen::with_random! { $name }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = $crate::codegen::deserialize_text(deserializer, $expecting)?;
                Self::from_text(&text)
                    .ok_or_else(|| $crate::codegen::serde::de::Error::custom(concat!("expected ", $expecting)))
            }
        }

        $crate::__copied!(
            $name,
            $crate::codegen::leaf::<Self>("a listed value", $crate::codegen::Kind::texts(&[$($wire),+], false)),
            |cursor| cursor.parsed()
        );
    };
}
