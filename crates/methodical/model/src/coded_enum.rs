//! Enums of integers: an open enum keeps an unknown value, a closed enum rejects it.

/// Defines an enum of known integers. An open enum names a type for unknown values; a closed enum, for which the service
/// guarantees that no other value occurs, does not. `or_text` after `i64` says that a record may have text with the
/// integer. The examples use an integer that is not listed.
#[doc(hidden)]
#[macro_export]
macro_rules! __coded_enum {
    (
        $(#[$attribute:meta])*
        $name:ident, $unknown:ident, i64 $($either:ident)?, not $unlisted:literal,
        { $($(#[$value_attribute:meta])* $variant:ident = $code:literal),+ $(,)? }
    ) => {
        $(#[$attribute])*
        #[non_exhaustive]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$value_attribute])* $variant,)+
            /// A value that this version does not know. It can only be created from an integer, and keeps it: `code`, `Display`
            /// and serde return the integer of the service.
            ///
            /// A later version may add a variant for the value. Code that compares the integer, such as
            /// `value.code() == 1`, works with both versions; a pattern with `Unknown` works only until then.
            Unknown($unknown),
        }

        #[doc = concat!("The integer of a [`", stringify!($name), "`] that this version does not know.")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $unknown(i64);

        impl $name {
            /// All values known to this version of the crate.
            pub const KNOWN: &[Self] = &[$(Self::$variant),+];

            /// Returns the integer on the wire.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::from(", $unlisted, ").code(), ", $unlisted, ");")]
            /// ```
            #[inline]
            pub const fn code(&self) -> i64 {
                match self {
                    $(Self::$variant => $code,)+
                    Self::Unknown(unknown) => unknown.code(),
                }
            }

            /// Returns whether this version knows the value.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert!(", stringify!($name), "::KNOWN.iter().all(", stringify!($name), "::is_known));")]
            #[doc = concat!("assert!(!", stringify!($name), "::from(", $unlisted, ").is_known());")]
            /// ```
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Unknown(_))
            }
        }

        impl $unknown {
            /// Returns the integer on the wire.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("if let ", stringify!($name), "::Unknown(unknown) = ", stringify!($name), "::from(", $unlisted, ") {")]
            #[doc = concat!("    assert_eq!(unknown.code(), ", $unlisted, ");")]
            /// }
            /// ```
            #[inline]
            pub const fn code(&self) -> i64 {
                self.0
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

        impl core::str::FromStr for $name {
            type Err = $crate::Error;

            /// Parses decimal digits.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the text is not a whole
            /// number, or exceeds 64 bits.
            fn from_str(text: &str) -> Result<Self, $crate::Error> {
                $crate::codegen::parse_signed(text, stringify!($name)).map(Self::from)
            }
        }

        $crate::__as_code! { $name }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$crate::__reader!(i64 $($either)?) as $crate::codegen::Value>::deserialize(deserializer)
                    .map(Self::from)
            }
        }

        $crate::__copied!(
            $name,
            <$crate::__reader!(i64 $($either)?) as $crate::codegen::Value>::shape(),
            |cursor| <$crate::__reader!(i64 $($either)?) as $crate::codegen::Value>::read(cursor).map(Self::from)
        );
    };
    (
        $(#[$attribute:meta])*
        $name:ident, i64 $($either:ident)?, not $unlisted:literal,
        { $($(#[$value_attribute:meta])* $variant:ident = $code:literal),+ $(,)? }
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

            /// Returns the integer on the wire.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert!(", stringify!($name), "::ALL.iter().all(|value| value.code() != ", $unlisted, "));")]
            /// ```
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

        impl core::str::FromStr for $name {
            type Err = $crate::Error;

            /// Returns the value with this integer, in decimal digits.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the contract does not
            /// list the integer.
            fn from_str(text: &str) -> Result<Self, $crate::Error> {
                let listed = $crate::codegen::parse_signed(text, stringify!($name)).ok().and_then(Self::from_code);
                listed.ok_or_else(|| $crate::codegen::not_listed(stringify!($name)))
            }
        }

        $crate::__as_code! { $name }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let code = <$crate::__reader!(i64 $($either)?) as $crate::codegen::Value>::deserialize(deserializer)?;
                Self::from_code(code)
                    .ok_or_else(|| $crate::codegen::serde::de::Error::custom("expected a listed value"))
            }
        }

        $crate::__copied!(
            $name,
            $crate::codegen::Shape::Leaf { expected: "a listed value", fits: $crate::codegen::fits::<$name> },
            |cursor| {
                <$crate::__reader!(i64 $($either)?) as $crate::codegen::Value>::read(cursor)
                    .and_then(Self::from_code)
            }
        );
    };
}

/// Implements what a type with `code` can do as an integer.
#[doc(hidden)]
#[macro_export]
macro_rules! __as_code {
    ($name:ident) => {
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

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.code(), f)
            }
        }

        impl $crate::codegen::serde::Serialize for $name {
            fn serialize<S: $crate::codegen::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_i64(self.code())
            }
        }
    };
}
