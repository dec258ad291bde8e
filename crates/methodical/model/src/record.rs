//! The methods and traits of every record.

/// Implements everything that two structs need to be the owned and the borrowed form of a record.
///
/// Both have a field `extra` for unlisted fields and a field `nulls`. Each line declares a field:
///
/// - its number, counted from 0;
/// - its presence: `required`, `optional`, `absent` for a list or map that is empty if the field is absent, or `blank`
///   for an optional value that may be an empty string;
/// - whether `Debug` hides its value (`personal`) or shows it (`plain`);
/// - its name, its type in the owned form, and its name on the wire.
#[doc(hidden)]
#[macro_export]
macro_rules! __record {
    (
        $owned:ident, $borrowed:ident, $what:literal;
        $($index:literal $presence:ident $secrecy:ident $name:ident: $ty:ty = $wire:literal;)+
    ) => {
        $crate::__record! {
            @form [] $owned, $owned, 'static; $($index $presence $secrecy $name = $wire;)+
        }
        $crate::__record! {
            @form ['a] $borrowed<'a>, $borrowed, 'a; $($index $presence $secrecy $name = $wire;)+
        }

        impl $borrowed<'_> {
            /// Converts the record to its owned form and copies the strings that it borrows.
            #[inline]
            #[must_use]
            pub fn into_owned(self) -> $owned {
                $owned {
                    $($name: $crate::__record!(@into_owned $presence self.$name, $ty),)+
                    extra: self.extra.into_owned(),
                    nulls: self.nulls,
                }
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $owned {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let record = <$borrowed<'de> as $crate::codegen::serde::Deserialize<'de>>::deserialize(deserializer);
                record.map($borrowed::into_owned)
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $borrowed<'de> {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct RecordVisitor;

                impl<'de> $crate::codegen::serde::de::Visitor<'de> for RecordVisitor {
                    type Value = $borrowed<'de>;

                    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                        f.write_str($what)
                    }

                    fn visit_map<A: $crate::codegen::serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<Self::Value, A::Error> {
                        $(let mut $name = $crate::codegen::Slot::Empty;)+
                        let mut extra = $crate::Extra::default();
                        while let Some($crate::codegen::CowText(wire)) = map.next_key()? {
                            match &*wire {
                                $($wire => $crate::__record!(@slot $presence $name, $ty, $wire, &mut map),)+
                                _ => $crate::codegen::extra::read(&mut extra, &wire, &mut map)?,
                            }
                        }
                        let mut nulls = $crate::codegen::Nulls::default();
                        Ok($borrowed {
                            $($name: $crate::__record!(@taken $presence $name, $index, $wire, &mut nulls),)+
                            extra,
                            nulls,
                        })
                    }
                }

                deserializer.deserialize_map(RecordVisitor)
            }
        }

        impl<'a> $crate::codegen::Fast<'a> for $borrowed<'a> {
            // The record is decoded in its place in the list, so that it is never moved.
            #[inline(always)]
            fn read(start: &mut $crate::codegen::Cursor<'a>) -> Option<Self> {
                let mut cursor = *start;
                cursor.open()?;
                $(let mut $name = None;)+
                let mut nulls = $crate::codegen::Nulls::default();
                let mut extra = $crate::codegen::Span::default();
                $crate::__members! { cursor, nulls, extra;
                    $($index $presence $wire $name = <$ty as $crate::codegen::Value>::read(&mut cursor)?;)+
                }
                *start = cursor;
                Some(Self {
                    $($name: $crate::__record!(@read $presence $name),)+
                    extra: $crate::codegen::extra::within(
                        cursor.within(extra),
                        <$owned as $crate::codegen::Sealed>::OBJECT,
                    ),
                    nulls,
                })
            }
        }

        impl $crate::Record for $owned {
            type Ref<'a> = $borrowed<'a>;

            #[inline]
            fn from_ref(record: $borrowed<'_>) -> Self {
                record.into_owned()
            }
        }

        impl $crate::codegen::Sealed for $owned {
            const OBJECT: &'static $crate::codegen::Object = &$crate::codegen::Object {
                what: $what,
                members: &[$($crate::codegen::Member {
                    name: $wire,
                    required: $crate::__record!(@is_required $presence),
                    shape: $crate::__record!(@shape $presence $ty),
                }),+],
            };
        }

        $crate::codegen::with_random! { $owned, |source| Self {
            $($name: source.arbitrary()?,)+
            extra: source.arbitrary()?,
            nulls: $crate::codegen::Nulls::default(),
        } }

        impl $crate::codegen::Value for $owned {
            type Ref<'a> = $borrowed<'a>;
            type Owned = Self;

            #[inline]
            fn read<'a>(cursor: &mut $crate::codegen::Cursor<'a>) -> Option<$borrowed<'a>> {
                $crate::codegen::Fast::read(cursor)
            }

            #[inline]
            fn deserialize<'de, D: $crate::codegen::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$borrowed<'de>, D::Error> {
                $crate::codegen::serde::Deserialize::deserialize(deserializer)
            }

            #[inline]
            fn into_owned(borrowed: $borrowed<'_>) -> Self {
                borrowed.into_owned()
            }

            fn shape() -> $crate::codegen::Shape {
                $crate::codegen::Shape::Object(<Self as $crate::codegen::Sealed>::OBJECT)
            }
        }
    };

    // The items of both forms.
    (
        @form [$($lifetime:lifetime)?] $form:ty, $label:ident, $extra:lifetime;
        $($index:literal $presence:ident $secrecy:ident $name:ident = $wire:literal;)+
    ) => {
        impl$(<$lifetime>)? $form {
            /// Returns the fields that the contract does not list. [`Extra`](methodical_model::Extra) has an example.
            pub fn extra(&self) -> &$crate::Extra<$extra> {
                &self.extra
            }
        }

        impl$(<$lifetime>)? core::fmt::Debug for $form {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($label))
                    $(.field(stringify!($name), $crate::__record!(@shown $presence $secrecy self.$name)))+
                    .field("extra", &self.extra)
                    .finish_non_exhaustive()
            }
        }

        impl$(<$lifetime>)? $crate::codegen::serde::Serialize for $form {
            fn serialize<S: $crate::codegen::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = $crate::codegen::serde::Serializer::serialize_map(serializer, None)?;
                $($crate::__record!(@write $presence self, $name, $index, $wire, &mut map);)+
                $crate::codegen::extra::write(&self.extra, &mut map)?;
                $crate::codegen::serde::ser::SerializeMap::end(map)
            }
        }
    };

    // `optional` and `blank` fields are an `Option`; `required` and `absent` ones are not.
    (@into_owned optional $value:expr, $ty:ty) => { $value.map(<$ty as $crate::codegen::Value>::into_owned) };
    (@into_owned blank $value:expr, $ty:ty) => { $value.map(<$ty as $crate::codegen::Value>::into_owned) };
    (@into_owned $presence:ident $value:expr, $ty:ty) => { <$ty as $crate::codegen::Value>::into_owned($value) };

    (@shown $presence:ident plain $value:expr) => { &$value };
    (@shown optional personal $value:expr) => { &$crate::codegen::Redacted(&$value) };
    (@shown blank personal $value:expr) => { &$crate::codegen::Redacted(&$value) };
    (@shown $presence:ident personal $value:expr) => { &format_args!("<redacted>") };

    (@write optional $self:ident, $name:ident, $index:literal, $wire:literal, $map:expr) => {
        $self.nulls.write($map, $index, $wire, $self.$name.as_ref())?
    };
    (@write blank $self:ident, $name:ident, $index:literal, $wire:literal, $map:expr) => {
        $self.nulls.write($map, $index, $wire, $self.$name.as_ref())?
    };
    (@write $presence:ident $self:ident, $name:ident, $index:literal, $wire:literal, $map:expr) => {
        $crate::codegen::serde::ser::SerializeMap::serialize_entry($map, $wire, &$self.$name)?
    };

    (@slot required $slot:ident, $ty:ty, $wire:literal, $map:expr) => { $slot.required::<$ty, _>($wire, $map)? };
    (@slot blank $slot:ident, $ty:ty, $wire:literal, $map:expr) => { $slot.blank::<$ty, _>($wire, $map)? };
    (@slot $presence:ident $slot:ident, $ty:ty, $wire:literal, $map:expr) => { $slot.nullable::<$ty, _>($wire, $map)? };

    (@taken required $slot:ident, $index:literal, $wire:literal, $nulls:expr) => { $slot.take($wire)? };
    (@taken absent $slot:ident, $index:literal, $wire:literal, $nulls:expr) => { $slot.full().unwrap_or_default() };
    (@taken $presence:ident $slot:ident, $index:literal, $wire:literal, $nulls:expr) => { $slot.note($index, $nulls) };

    (@read required $value:ident) => { $value? };
    (@read absent $value:ident) => { $value.unwrap_or_default() };
    (@read $presence:ident $value:ident) => { $value };

    (@is_required required) => { true };
    (@is_required $presence:ident) => { false };

    (@shape blank $ty:ty) => { || $crate::codegen::Shape::OrBlank(<$ty as $crate::codegen::Value>::shape) };
    (@shape $presence:ident $ty:ty) => { <$ty as $crate::codegen::Value>::shape };
}
