//! Scalars: text on the wire, a type with a meaning in Rust.

pub(crate) mod civil;
pub(crate) mod decimal;
pub mod epoch;
pub(crate) mod integer;
#[cfg(feature = "jiff")]
pub(crate) mod jiff;
mod meaning;
mod optional;
#[cfg(feature = "rust_decimal")]
pub(crate) mod rust_decimal;

/// Defines a scalar: one that keeps its wire text unchanged, or a 64-bit integer.
#[doc(hidden)]
#[macro_export]
macro_rules! __scalar {
    ($(#[$attribute:meta])* $name:ident, $expecting:literal) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($crate::codegen::SmolStr);

        impl $name {
            #[doc = concat!("Creates a [`", stringify!($name), "`] with this text, unchanged.")]
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

            /// Returns the text on the wire.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::from(\"12\").as_str(), \"12\");")]
            /// ```
            #[inline]
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        impl From<$crate::codegen::String> for $name {
            fn from(text: $crate::codegen::String) -> Self {
                Self::new(&text)
            }
        }

        impl From<$crate::codegen::Cow<'_, str>> for $name {
            fn from(text: $crate::codegen::Cow<'_, str>) -> Self {
                Self::new(&text)
            }
        }

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                value.clone()
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.as_str()).finish()
            }
        }

        impl $crate::codegen::serde::Serialize for $name {
            fn serialize<S: $crate::codegen::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::codegen::deserialize_text(deserializer, $expecting).map(Self::from)
            }
        }

        impl $crate::codegen::Value for $name {
            type Ref<'a> = $crate::codegen::Cow<'a, str>;

            #[inline]
            fn read<'a>(cursor: &mut $crate::codegen::Cursor<'a>) -> Option<Self::Ref<'a>> {
                cursor.text()
            }

            #[inline]
            fn deserialize<'de, D: $crate::codegen::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self::Ref<'de>, D::Error> {
                $crate::codegen::deserialize_text(deserializer, $expecting)
            }

            #[inline]
            fn into_owned(borrowed: Self::Ref<'_>) -> Self {
                borrowed.into()
            }

            fn shape() -> $crate::codegen::Shape {
                $crate::codegen::Shape::Text
            }
        }
    };
    ($(#[$attribute:meta])* $name:ident, integer) => {
        $crate::__scalar! { @number $(#[$attribute])* $name, u64, serialize_u64 }
    };
    ($(#[$attribute:meta])* $name:ident, signed_integer) => {
        $crate::__scalar! { @number $(#[$attribute])* $name, i64, serialize_i64 }
    };
    (@number $(#[$attribute:meta])* $name:ident, $number:ident, $serialize:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($number);

        impl $name {
            #[doc = concat!("Creates a [`", stringify!($name), "`] from this number.")]
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(12).get(), 12);")]
            /// ```
            #[inline]
            #[must_use]
            pub const fn new(number: $number) -> Self {
                Self(number)
            }

            /// Returns the number on the wire.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::from(12).get(), 12);")]
            /// ```
            #[inline]
            pub const fn get(self) -> $number {
                self.0
            }
        }

        impl From<$number> for $name {
            fn from(number: $number) -> Self {
                Self::new(number)
            }
        }

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                *value
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.0, f)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.0).finish()
            }
        }

        impl $crate::codegen::serde::Serialize for $name {
            fn serialize<S: $crate::codegen::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.$serialize(self.0)
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = <$number as $crate::codegen::serde::Deserialize>::deserialize(deserializer);
                number.map(Self::new)
            }
        }

        $crate::__copied!($name, <$number as $crate::codegen::Value>::shape(), |cursor| {
            <$number as $crate::codegen::Value>::read(cursor).map(Self::new)
        });
    };
}
