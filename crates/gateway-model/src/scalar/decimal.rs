//! Decimal numbers that travel as text.

use crate::DecimalText;

impl DecimalText {
    /// Says whether the text is a plain decimal number: an optional sign, digits, an optional fraction.
    ///
    /// Anything else is kept as it came (decision D-credits): `1e3`, `1,234.50` and `NaN` are text.
    ///
    /// ```
    /// use gateway_model::DecimalText;
    ///
    /// assert!(DecimalText::new("-12.50").is_plain());
    /// assert!(!DecimalText::new("1,234.50").is_plain());
    /// ```
    pub fn is_plain(&self) -> bool {
        let text = self.as_str();
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        [whole, fraction]
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    }
}
