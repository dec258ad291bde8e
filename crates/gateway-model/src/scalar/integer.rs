//! Identifiers that are text in a record and an integer in a query.

use alloc::string::ToString as _;

use crate::{Error, VacancyId};

impl VacancyId {
    /// Returns the number that a query carries.
    ///
    /// The service text shows the identifier as text in a record and as an integer in a query
    /// (sections 2 and 4.1), so the text is kept and read only when it is asked for.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Parameter`](crate::ErrorKind::Parameter) when the text is not made of decimal digits, or does not fit.
    ///
    /// ```
    /// use gateway_model::VacancyId;
    ///
    /// assert_eq!(VacancyId::new("52").to_u64()?, 52);
    /// assert!(VacancyId::new("+52").to_u64().is_err());
    /// # Ok::<(), gateway_model::Error>(())
    /// ```
    pub fn to_u64(&self) -> Result<u64, Error> {
        parse(self.as_str()).ok_or_else(|| Error::parameter("vacancy_id", "an unsigned integer"))
    }
}

impl From<u64> for VacancyId {
    fn from(number: u64) -> Self {
        Self::new(&number.to_string())
    }
}

/// Reads decimal digits only: `str::parse` would take a leading `+` too.
fn parse(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
