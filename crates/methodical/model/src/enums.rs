//! Enums of strings or integers: an open enum keeps an unknown value, a closed enum rejects it.

use crate::Error;

/// Creates the error of a value that a closed enum does not list.
#[cold]
pub fn not_listed(name: &str) -> Error {
    Error::conversion(name, "a listed value")
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
        $crate::__open_enum! {
            $(#[$attribute])*
            $name, $unknown, [$crate::codegen::SmolStr: Clone], as_str, $unlisted,
            { $($(#[$value_attribute])* $variant = $wire),+ }
        }

        impl $name {
            /// Returns the text on the wire.
            #[inline]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $wire,)+
                    Self::Unknown(unknown) => unknown.as_str(),
                }
            }
        }

        impl $unknown {
            /// Returns the text on the wire.
            #[inline]
            pub fn as_str(&self) -> &str {
                self.0.as_str()
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
        $crate::__closed_enum! {
            $(#[$attribute])* $name, { $($(#[$value_attribute])* $variant = $wire),+ }
        }

        impl $name {
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
            type Err = $crate::Error;

            /// Returns the value with this text.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the contract does not
            /// list the text.
            fn from_str(text: &str) -> Result<Self, $crate::Error> {
                Self::from_text(text).ok_or_else(|| $crate::codegen::not_listed(stringify!($name)))
            }
        }

        $crate::__as_text! { $name }

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

/// Defines an enum of known integers, open or closed as in [`__wire_enum`]. `or_text` after `i64` says that a record may
/// have text with the integer. The example uses an integer that is not listed.
#[doc(hidden)]
#[macro_export]
macro_rules! __coded_enum {
    (
        $(#[$attribute:meta])*
        $name:ident, $unknown:ident, i64 $($either:ident)?, not $unlisted:literal,
        { $($(#[$value_attribute:meta])* $variant:ident = $code:literal),+ $(,)? }
    ) => {
        $crate::__open_enum! {
            $(#[$attribute])*
            $name, $unknown, [i64: Clone, Copy], code, $unlisted,
            { $($(#[$value_attribute])* $variant = $code),+ }
        }

        impl $name {
            /// Returns the integer on the wire.
            #[inline]
            pub const fn code(&self) -> i64 {
                match self {
                    $(Self::$variant => $code,)+
                    Self::Unknown(unknown) => unknown.code(),
                }
            }
        }

        impl $unknown {
            /// Returns the integer on the wire.
            #[inline]
            pub const fn code(&self) -> i64 {
                self.0
            }
        }

        impl From<i64> for $name {
            #[inline]
            fn from(code: i64) -> Self {
                match code {
                    $($code => Self::$variant,)+
                    _ => Self::Unknown($unknown(code)),
                }
            }
        }

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                *value
            }
        }

        $crate::__as_code! { $name, [$($either)?], $($code)+, true, |code| Some(Self::from(code)) }
    };
    (
        $(#[$attribute:meta])*
        $name:ident, i64 $($either:ident)?, not $unlisted:literal,
        { $($(#[$value_attribute:meta])* $variant:ident = $code:literal),+ $(,)? }
    ) => {
        $crate::__closed_enum! {
            $(#[$attribute])* $name, { $($(#[$value_attribute])* $variant = $code),+ }
        }

        impl $name {
            /// Returns the integer on the wire.
            #[inline]
            pub const fn code(&self) -> i64 {
                match self {
                    $(Self::$variant => $code,)+
                }
            }

            /// Returns the value with this integer, or `None` if the contract does not list it.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::from_code(", $unlisted, "), None);")]
            /// ```
            pub const fn from_code(code: i64) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        $crate::__as_code! { $name, [$($either)?], $($code)+, false, |code| Self::from_code(code) }
    };
}

/// Implements what an enum with `code` can do as an integer.
#[doc(hidden)]
#[macro_export]
macro_rules! __as_code {
    ($name:ident, [$($either:ident)?], $($known:literal)+, $is_open:literal, |$code:ident| $found:expr) => {
        impl PartialEq<i64> for $name {
            fn eq(&self, other: &i64) -> bool {
                self.code() == *other
            }
        }

        impl From<$name> for i64 {
            fn from(value: $name) -> Self {
                value.code()
            }
        }

        impl core::str::FromStr for $name {
            type Err = $crate::Error;

            /// Parses decimal digits.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the text is not a whole
            /// number of 64 bits, or the contract does not list it and guarantees that no other value occurs.
            fn from_str(text: &str) -> Result<Self, $crate::Error> {
                let $code = $crate::codegen::parse_signed(text, stringify!($name))?;
                $found.ok_or_else(|| $crate::codegen::not_listed(stringify!($name)))
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.code(), f)
            }
        }

        impl $crate::codegen::serde::Serialize for $name {
            fn serialize<S: $crate::codegen::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_i64(self.code())
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let $code = <$crate::__reader!(i64 $($either)?) as $crate::codegen::Value>::deserialize(deserializer)?;
                $found.ok_or_else(|| $crate::codegen::serde::de::Error::custom("expected a listed value"))
            }
        }

        $crate::__copied!(
            $name,
            $crate::codegen::code::<Self, $crate::__reader!(i64 $($either)?)>(&[$(stringify!($known)),+], $is_open),
            |cursor| {
                let $code = <$crate::__reader!(i64 $($either)?) as $crate::codegen::Value>::read(cursor)?;
                $found
            }
        );
    };
}

/// Defines an open enum, without what depends on the type of its values.
#[doc(hidden)]
#[macro_export]
macro_rules! __open_enum {
    (
        $(#[$attribute:meta])*
        $name:ident, $unknown:ident, [$inner:ty: $($derived:ident),+], $get:ident, $unlisted:literal,
        { $($(#[$value_attribute:meta])* $variant:ident = $value:literal),+ }
    ) => {
        $(#[$attribute])*
        #[derive($($derived,)+ PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$value_attribute])* $variant,)+
            /// A value that this version does not know. Only decoding and conversions create it, and it keeps the value:
            #[doc = concat!("`", stringify!($get), "`, `Display` and serde return that of the service unchanged.")]
            ///
            /// A later version may add a variant for the value. Code that compares the value itself works with both
            /// versions; a pattern with `Unknown` works only until then.
            Unknown($unknown),
        }

        #[doc = concat!("The value of a [`", stringify!($name), "`] that this version does not know.")]
        #[derive($($derived,)+ PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $unknown($inner);

        impl $name {
            /// All values known to this version of the crate.
            pub const KNOWN: &[Self] = &[$(Self::$variant),+];

            /// Returns whether this version knows the value.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert!(", stringify!($name), "::KNOWN.iter().all(", stringify!($name), "::is_known));")]
            #[doc = concat!("assert!(!", stringify!($name), "::from(", stringify!($unlisted), ").is_known());")]
            /// ```
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Unknown(_))
            }
        }

        impl core::fmt::Debug for $unknown {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Debug::fmt(&self.0, f)
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

        $crate::codegen::with_random! { $name }
    };
}

/// Defines a closed enum, without what depends on the type of its values.
#[doc(hidden)]
#[macro_export]
macro_rules! __closed_enum {
    (
        $(#[$attribute:meta])*
        $name:ident, { $($(#[$value_attribute:meta])* $variant:ident = $value:literal),+ }
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
        }

        $crate::codegen::with_random! { $name }
    };
}
