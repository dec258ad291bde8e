//! How a call names its operation: in parameters, or in the path.

/// How a call names its operation, and the parameters that every call has.
///
/// # Examples
///
/// ```
/// use methodical_model::{Dispatch, Operation as _, RawQuery, Service};
///
/// struct Photos;
///
/// impl Service for Photos {
///     const NAME: &'static str = "photos";
///     const API_VERSION: &'static str = "v2";
///     const PATH: &'static str = "/api/v2";
///     const SELECTOR: &'static str = "module";
///     const ACCEPT: &'static str = "application/json";
///     const DISPATCH: Dispatch = Dispatch::query(&["module", "action"]).constants(&[("format", "json")]);
/// }
///
/// let query = RawQuery::<Photos>::new("albums/list").pair("owner", "7").query()?;
/// assert_eq!(query.as_str(), "module=albums&action=list&format=json&owner=7");
/// # Ok::<(), methodical_model::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    place: Place,
    selectors: &'static [&'static str],
    constants: &'static [(&'static str, &'static str)],
}

/// The part of a request that names the operation.
///
/// ```
/// use methodical_model::{Dispatch, Place};
///
/// assert_eq!(Dispatch::path().place(), Place::Path);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The query.
    Query,
    /// The form in the body; every call is a POST.
    Form,
    /// The last segments of the path.
    Path,
}

impl Dispatch {
    /// Creates a dispatch by these query parameters. If there are two, the first `/` of a method separates their values.
    #[must_use]
    pub const fn query(selectors: &'static [&'static str]) -> Self {
        Self { place: Place::Query, selectors, constants: &[] }
    }

    /// Creates a dispatch by these parameters of a form, which is the body of a POST. The constants are in the form, too.
    #[must_use]
    pub const fn form(selectors: &'static [&'static str]) -> Self {
        Self { place: Place::Form, ..Self::query(selectors) }
    }

    /// Creates a dispatch by the last segments of the path.
    #[must_use]
    pub const fn path() -> Self {
        Self { place: Place::Path, selectors: &[], constants: &[] }
    }

    /// Sets the parameters, with their values, that every call has.
    #[must_use]
    pub const fn constants(self, constants: &'static [(&'static str, &'static str)]) -> Self {
        Self { constants, ..self }
    }

    /// Returns the part of a request that names the operation.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Returns the names of the parameters that name the operation; none if the path does.
    #[must_use]
    pub const fn selectors(&self) -> &'static [&'static str] {
        self.selectors
    }

    /// Returns the parameters, with their values, that every call has.
    #[must_use]
    pub const fn every_call(&self) -> &'static [(&'static str, &'static str)] {
        self.constants
    }

    /// Returns the selectors with the values that name an operation.
    ///
    /// ```
    /// use methodical_model::Dispatch;
    ///
    /// let dispatch = Dispatch::query(&["module", "action"]);
    /// assert!(dispatch.values("albums/list").eq([("module", "albums"), ("action", "list")]));
    /// ```
    pub fn values<'a>(&self, method: &'a str) -> impl Iterator<Item = (&'static str, &'a str)> {
        let mut rest = method;
        let last = self.selectors.len().saturating_sub(1);
        self.selectors.iter().enumerate().map(move |(index, name)| {
            let (value, more) = match rest.split_once('/') {
                Some((value, more)) if index < last => (value, more),
                _ => (rest, ""),
            };
            rest = more;
            (*name, value)
        })
    }
}
