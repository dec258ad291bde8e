//! Numbers with a fraction.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::DecodeError;

/// A finite number with a fraction, such as `52.25`, as a 64-bit floating-point number.
///
/// A decoded value is the nearest one to the number in the JSON text. It is neither infinite nor `NaN`, and negative zero
/// is zero, so that values are equal, ordered and hashed as numbers. Text and JSON have the fewest digits that are read
/// back as the same value.
///
/// # Examples
///
/// ```
/// use methodical_model::Float;
///
/// let width = Float::new(52.25)?;
/// assert_eq!(width.get() * 2.0, 104.5);
/// assert!(width < Float::from(53));
/// assert_eq!(serde_json::from_str::<Float>("5.225e1")?, width);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Float(f64);

impl Float {
    /// Creates it from a finite number.
    ///
    /// # Errors
    ///
    /// [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the number is infinite or `NaN`, which JSON cannot
    /// represent.
    ///
    /// ```
    /// use methodical_model::Float;
    ///
    /// assert_eq!(Float::new(-0.0)?, Float::from(0));
    /// assert!(Float::new(f64::NAN).is_err());
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    pub fn new(number: f64) -> Result<Self, DecodeError> {
        Self::finite(number).ok_or_else(|| DecodeError::conversion("Float", EXPECTED))
    }

    /// Returns the number, which is finite.
    ///
    /// ```
    /// assert_eq!(methodical_model::Float::from(3).get(), 3.0);
    /// ```
    #[inline]
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Adding zero turns negative zero into zero.
    #[inline]
    pub(crate) fn finite(number: f64) -> Option<Self> {
        number.is_finite().then_some(Self(number + 0.0))
    }
}

const EXPECTED: &str = "a finite number";

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Float {}

impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Float {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Hash for Float {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<i32> for Float {
    fn from(number: i32) -> Self {
        Self(number.into())
    }
}

impl From<u32> for Float {
    fn from(number: u32) -> Self {
        Self(number.into())
    }
}

impl From<Float> for f64 {
    fn from(number: Float) -> Self {
        number.get()
    }
}

impl TryFrom<f64> for Float {
    type Error = DecodeError;

    /// Converts a finite number.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    fn try_from(number: f64) -> Result<Self, DecodeError> {
        Self::new(number)
    }
}

impl FromStr for Float {
    type Err = DecodeError;

    /// Parses a decimal number, such as `-12.5` or `1e9`.
    ///
    /// # Errors
    ///
    /// [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the text is not a finite number.
    fn from_str(text: &str) -> Result<Self, DecodeError> {
        let number = text.parse().ok().and_then(Self::finite);
        number.ok_or_else(|| DecodeError::conversion("Float", EXPECTED))
    }
}

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Float {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_f64(FloatVisitor)
    }
}

struct FloatVisitor;

impl Visitor<'_> for FloatVisitor {
    type Value = Float;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Float, E> {
        Float::finite(number).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &EXPECTED))
    }

    #[expect(clippy::cast_precision_loss, reason = "the cast rounds to the nearest number")]
    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Float, E> {
        Ok(Float(number as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "the cast rounds to the nearest number")]
    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Float, E> {
        Ok(Float(number as f64))
    }
}
