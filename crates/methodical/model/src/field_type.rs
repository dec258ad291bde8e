//! The types of fields, as the specification declares them.

/// The type of the values of a field, for formats whose columns have types, such as Parquet and XLSX.
///
/// A value that does not fit its type is possible: a service may send any text in place of a date.
///
/// # Examples
///
/// ```
/// use methodical_model::FieldType;
///
/// /// The fields of a photo.
/// const PHOTO: [(&str, FieldType); 3] =
///     [("id", FieldType::Id), ("taken", FieldType::DateTime), ("likes", FieldType::Integer)];
/// assert_eq!(PHOTO[1].1, FieldType::DateTime);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldType {
    /// Text.
    Text,
    /// An identifier: text, or an integer without a sign. It is not a number to calculate with.
    Id,
    /// An integer of 64 bits.
    Integer,
    /// A decimal number as text, such as `12.50`.
    Decimal,
    /// A number with a fraction, of 64 bits.
    Real,
    /// A date and time without a time zone, as text: `YYYY-MM-DD HH:MM:SS`.
    DateTime,
    /// `true` or `false`.
    Boolean,
    /// Any other JSON value, such as a list.
    Json,
}
