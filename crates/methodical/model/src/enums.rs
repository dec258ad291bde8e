//! String enums that preserve unknown values.

/// Defines an enum of known strings, and a type for unknown ones. The string after `not` is an unknown one for the
/// doctest.
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
            /// A value unknown to this version. It is created only from text, which it preserves: `as_str`, `Display`
            /// and serde return that text unchanged. Any string deserializes: an unknown one is not an error.
            ///
            /// A later version may add a variant for the value. Code that compares the text, such as
            /// `value.as_str() == "new"`, works with both versions, but a pattern with `Unknown` no longer matches.
            Unknown($unknown),
        }

        #[doc = concat!("The text of a [`", stringify!($name), "`] that is unknown to this version.")]
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

            /// Returns whether the value is known to this version.
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
        $crate::codegen::with_random! { $name, |source| {
            let is_known = source.arbitrary()?;
            if is_known { source.choose(Self::KNOWN)?.clone() } else { Self::from(source.arbitrary::<&str>()?) }
        } }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::codegen::deserialize_text(deserializer, $expecting).map(Self::from)
            }
        }

        $crate::__copied!(
            $name,
            $crate::codegen::leaf::<Self>("text"),
            |cursor| cursor.text().map(Self::from)
        );
    };
}
