//! Enums that grow without breaking anybody: an unknown value is kept, not refused.

/// Defines an enum of known texts, with room for those to come.
macro_rules! open_enum {
    (
        $(#[$attribute:meta])*
        $name:ident, $unknown:ident, $expecting:literal,
        { $($(#[$value_attribute:meta])* $variant:ident = $wire:literal),+ $(,)? }
    ) => {
        $(#[$attribute])*
        #[non_exhaustive]
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$value_attribute])* $variant,)+
            /// A value that this version does not know; only text makes one.
            Unknown($unknown),
        }

        #[doc = concat!("The text of a [`", stringify!($name), "`] that this version does not know.")]
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $unknown(crate::text::Text);

        impl $name {
            /// Every value that this version knows.
            pub const KNOWN: &[Self] = &[$(Self::$variant),+];

            /// Returns the text that travels.
            ///
            /// ```
            #[doc = concat!("# use gateway_model::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::from(\"later\").as_str(), \"later\");")]
            /// ```
            #[inline]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $wire,)+
                    Self::Unknown(unknown) => unknown.as_str(),
                }
            }

            /// Says whether this version knows the value.
            ///
            /// ```
            #[doc = concat!("# use gateway_model::", stringify!($name), ";")]
            #[doc = concat!("assert!(", stringify!($name), "::KNOWN.iter().all(", stringify!($name), "::is_known));")]
            #[doc = concat!("assert!(!", stringify!($name), "::from(\"later\").is_known());")]
            /// ```
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Unknown(_))
            }
        }

        impl $unknown {
            /// Returns the text that travels.
            ///
            /// ```
            #[doc = concat!("# use gateway_model::", stringify!($name), ";")]
            #[doc = concat!("if let ", stringify!($name), "::Unknown(unknown) = ", stringify!($name), "::from(\"later\") {")]
            /// assert_eq!(unknown.as_str(), "later");
            /// }
            /// ```
            #[inline]
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl core::fmt::Debug for $unknown {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.as_str().fmt(f)
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

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                match text {
                    $($wire => Self::$variant,)+
                    _ => Self::Unknown($unknown(crate::text::Text::new(text))),
                }
            }
        }

        impl From<alloc::string::String> for $name {
            fn from(text: alloc::string::String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl From<alloc::borrow::Cow<'_, str>> for $name {
            fn from(text: alloc::borrow::Cow<'_, str>) -> Self {
                Self::from(&*text)
            }
        }

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                value.clone()
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::decode::text::deserialize(deserializer, $expecting).map(Self::from)
            }
        }
    };
}

pub(crate) use open_enum;
