//! Scalars: text, an integer or a boolean on the wire, and a type of their own in Rust.

pub(crate) mod conversions;
pub(crate) mod either;

/// Defines a scalar type. Its kind is text that is kept unchanged, a 64-bit integer, or a boolean with the JSON texts
/// that represent it.
///
/// The kind determines the conversions and how values compare. With `or_number` after the kind, a response may contain
/// a number in place of the text.
#[doc(hidden)]
#[macro_export]
macro_rules! __scalar {
    ($(#[$attribute:meta])* $name:ident, text $(, $either:ident)?) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, [$($either)?], "Values compare as text."
        }
        $crate::__compared_as_text! { $name }
    };
    ($(#[$attribute:meta])* $name:ident, digits $(, $either:ident)?) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, [$($either)?],
            "Numbers are ordered by value: `9` precedes `10`. Text that is not a number follows all numbers. Two values are equal only if their texts are equal: `7` and `07` differ."
        }

        impl $name {
            /// Parses the identifier as a number.
            ///
            /// # Errors
            ///
            /// Returns [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the text is
            /// not a decimal number, or exceeds 64 bits.
            pub fn to_u64(&self) -> Result<u64, $crate::DecodeError> {
                $crate::codegen::parse_unsigned(self.as_str(), stringify!($name))
            }
        }

        impl From<u64> for $name {
            fn from(number: u64) -> Self {
                Self::new(&$crate::codegen::ToString::to_string(&number))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                $crate::codegen::compare_digits(self.as_str(), other.as_str())
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
    };
    ($(#[$attribute:meta])* $name:ident, decimal $(, $either:ident)?) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, [$($either)?],
            "Two values are equal only if their texts are equal: `1.5` and `1.50` differ. Values have no order: to compare them, convert them to numbers, for example with the feature `rust_decimal`."
        }

        impl $name {
            /// Returns whether the text is a plain decimal number: an optional sign, digits, and an
            /// optional fraction.
            ///
            /// Other text, such as `1e3`, `1,234.50` or `NaN`, is accepted, but is not plain.
            pub fn is_plain(&self) -> bool {
                $crate::codegen::is_plain(self.as_str())
            }
        }

        $crate::__borrowed_as_text! { $name }
        $crate::codegen::with_rust_decimal! { $name }
    };
    ($(#[$attribute:meta])* $name:ident, civil_date_time) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, [],
            "Values compare as text. Valid dates and times are therefore in chronological order."
        }
        $crate::__compared_as_text! { $name }

        $crate::codegen::with_jiff! { $name }
    };
    ($(#[$attribute:meta])* $name:ident, epoch_seconds_text $(, $either:ident)?) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, [$($either)?],
            "Values are compared as text, so `5` and `05` differ. The type is not ordered; to sort values, compare the results of `to_i64`."
        }

        impl $name {
            /// Parses the text as a number.
            ///
            /// # Errors
            ///
            /// Returns [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the text is
            /// not a whole number, or exceeds 64 bits.
            pub fn to_i64(&self) -> Result<i64, $crate::DecodeError> {
                $crate::codegen::parse_signed(self.as_str(), stringify!($name))
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self::new(&$crate::codegen::ToString::to_string(&number))
            }
        }

        $crate::__borrowed_as_text! { $name }
    };
    ($(#[$attribute:meta])* $name:ident, integer) => {
        $crate::__scalar! {
            @number $(#[$attribute])* $name, u64, serialize_u64, parse_unsigned
        }
    };
    ($(#[$attribute:meta])* $name:ident, signed_integer) => {
        $crate::__scalar! {
            @number $(#[$attribute])* $name, i64, serialize_i64, parse_signed
        }
    };
    ($(#[$attribute:meta])* $name:ident, boolean, [$($yes:literal),+], [$($no:literal),+]) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(bool);

        impl $name {
            const CODES: $crate::codegen::Codes =
                $crate::codegen::Codes { yes: &[$($yes),+], no: &[$($no),+] };
        }

        impl core::str::FromStr for $name {
            type Err = $crate::DecodeError;

            /// Parses one of the texts that the contract lists for the two values.
            ///
            /// # Errors
            ///
            /// Returns [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) for any other
            /// text.
            fn from_str(text: &str) -> Result<Self, $crate::DecodeError> {
                Self::CODES.parse(text, stringify!($name)).map(Self)
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                Self::CODES.fmt(self.0, f)
            }
        }

        impl $crate::codegen::serde::Serialize for $name {
            fn serialize<S: $crate::codegen::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Self::CODES.serialize(self.0, serializer)
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::CODES.deserialize(deserializer).map(Self)
            }
        }

        $crate::__scalar! { @copied $name, bool }
        $crate::__copied!(
            $name,
            $crate::codegen::leaf::<Self>($crate::codegen::CODES)
        );
    };
    (@text $(#[$attribute:meta])* $name:ident, [$($either:ident)?], $comparison:literal) => {
        $(#[$attribute])*
        ///
        /// Any text is accepted, and kept exactly as received: nothing is validated.
        #[doc = $comparison]
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name($crate::codegen::SmolStr);

        impl $name {
            #[doc = concat!("Creates a [`", stringify!($name), "`] from any text, which is kept unchanged.")]
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(\"12\").as_str(), \"12\");")]
            /// ```
            #[inline]
            #[must_use]
            pub fn new(text: &str) -> Self {
                Self($crate::codegen::SmolStr::new(text))
            }

            /// Returns the text, exactly as received or as passed to `new`.
            #[inline]
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        $crate::__from_text! { $name }
        $crate::__as_text! { $name }
        $crate::codegen::with_random! { $name, |source| Self::new(source.arbitrary()?) }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.as_str()).finish()
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$crate::__reader!(text $($either)?) as $crate::codegen::Value>::deserialize(deserializer)
                    .map(Self::from)
            }
        }

        impl $crate::codegen::Value for $name {
            type Ref<'a> = $crate::codegen::Cow<'a, str>;
            type Owned = Self;

            const IS_TEXT: bool = true;

            #[inline]
            fn read<'a>(cursor: &mut $crate::codegen::Cursor<'a>) -> Option<Self::Ref<'a>> {
                <$crate::__reader!(text $($either)?) as $crate::codegen::Value>::read(cursor)
            }

            #[inline]
            fn deserialize<'de, D: $crate::codegen::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self::Ref<'de>, D::Error> {
                <$crate::__reader!(text $($either)?) as $crate::codegen::Value>::deserialize(deserializer)
            }

            #[inline]
            fn into_owned(borrowed: Self::Ref<'_>) -> Self {
                borrowed.into()
            }

            fn is_blank(borrowed: &Self::Ref<'_>) -> bool {
                borrowed.is_empty()
            }

            fn shape() -> $crate::codegen::Shape {
                <$crate::__reader!(text $($either)?) as $crate::codegen::Value>::shape()
            }
        }
    };
    (@number $(#[$attribute:meta])* $name:ident, $number:ident, $serialize:ident, $parse:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($number);

        impl core::str::FromStr for $name {
            type Err = $crate::DecodeError;

            /// Parses an integer in decimal digits.
            ///
            /// # Errors
            ///
            /// Returns [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the text is
            /// not a whole number, or exceeds 64 bits.
            fn from_str(text: &str) -> Result<Self, $crate::DecodeError> {
                $crate::codegen::$parse(text, stringify!($name)).map(Self::new)
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.0, f)
            }
        }

        impl $crate::codegen::serde::Serialize for $name {
            fn serialize<S: $crate::codegen::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.$serialize(self.0)
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$number as $crate::codegen::Value>::deserialize(deserializer).map(Self::new)
            }
        }

        $crate::__scalar! { @copied $name, $number }
        $crate::__copied!(
            $name,
            <$number as $crate::codegen::Value>::shape()
        );
    };
    (@copied $name:ident, $inner:ident) => {
        impl $name {
            #[doc = concat!("Creates a [`", stringify!($name), "`] from this value.")]
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(", stringify!($inner), "::default()).get(), ", stringify!($inner), "::default());")]
            /// ```
            #[inline]
            #[must_use]
            pub const fn new(value: $inner) -> Self {
                Self(value)
            }

            /// Returns the value.
            #[inline]
            pub const fn get(self) -> $inner {
                self.0
            }
        }

        impl From<$inner> for $name {
            fn from(value: $inner) -> Self {
                Self::new(value)
            }
        }

        impl From<$name> for $inner {
            fn from(value: $name) -> Self {
                value.get()
            }
        }

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                *value
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.0).finish()
            }
        }

        $crate::codegen::with_random! { $name, |source| Self(source.arbitrary()?) }
    };
}

/// Returns the type that reads a text scalar.
#[doc(hidden)]
#[macro_export]
macro_rules! __reader {
    (text) => {
        $crate::codegen::String
    };
    (text or_number) => {
        $crate::codegen::OrNumber
    };
}

/// Implements the text traits for a type that has `as_str`.
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

/// Implements the conversions for a type that can be created from any text.
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

/// Orders values by their text, and implements `Borrow`, which requires that order.
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

/// Implements `Borrow`, so that a map can be searched by `&str`. Equality, hash and order, if any, must match those of
/// `str`.
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
