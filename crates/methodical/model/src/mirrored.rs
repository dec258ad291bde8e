//! The lists of a service that a mirror copies.

use alloc::string::String;
use core::str::FromStr;

use serde::Serialize;

use crate::decode::Record;
use crate::error::Error;
use crate::operation::{ListOperation, Operation};
use crate::paging::PagedOperation;
use crate::service::Service;
use crate::table::Table;

/// A service whose lists a mirror can copy. A generated model implements it from the specification.
///
/// # Examples
///
/// ```
/// use methodical_model::{
///     Gauge, ListOperation, MirrorVisitor, Mirrored, Operation, PagedOperation, Record, Recovery, Service, Table,
/// };
/// use serde::Serialize;
///
/// /// Collects the names of the tables of a service.
/// #[derive(Default)]
/// struct Names(Vec<&'static str>);
///
/// impl<S: Service> MirrorVisitor<S> for Names {
///     fn list<O>(&mut self, table: &'static Table, _: O)
///     where
///         O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
///         for<'a> <O::Item as Record>::Ref<'a>: Serialize,
///     {
///         self.0.push(table.name());
///     }
///
///     fn paged_list<O>(&mut self, table: &'static Table, _: O)
///     where
///         O: PagedOperation<Service = S>,
///         for<'a> <O::Item as Record>::Ref<'a>: Serialize,
///     {
///         self.0.push(table.name());
///     }
///
///     fn recovery<O>(&mut self, recovery: Recovery<O>)
///     where
///         O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
///         for<'a> <O::Item as Record>::Ref<'a>: Serialize,
///     {
///         self.0.push(recovery.table.name());
///     }
///
///     fn gauge<O>(&mut self, _: Gauge, _: O)
///     where
///         O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
///     {
///     }
/// }
///
/// fn table_names<S: Mirrored>() -> Vec<&'static str> {
///     let mut names = Names::default();
///     S::visit(&mut names);
///     names.0
/// }
/// ```
pub trait Mirrored: Service + Sized {
    /// Passes everything that a mirror reads to the visitor: lists first, then recoveries, then gauges.
    fn visit(visitor: &mut impl MirrorVisitor<Self>);
}

/// Receives what a mirror reads from a service.
pub trait MirrorVisitor<S: Service> {
    /// Takes a list that returns all records of a table in one response.
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize;

    /// Takes a list that returns all records of a table in pages.
    fn paged_list<O>(&mut self, table: &'static Table, query: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize;

    /// Takes a list whose filters recover a value that the records do not have.
    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize;

    /// Takes an operation that returns an amount, of which a mirror keeps samples.
    fn gauge<O>(&mut self, gauge: Gauge, query: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static;
}

/// A list with two filters, which recover a value that its records do not have: the value of a member in a group.
///
/// The first filter selects the members of a group; the second one, those of them with a value. A mirror asks for each
/// group and value, and keeps one row for each member of each group.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "generated code builds it")]
pub struct Recovery<O> {
    /// The table of the rows, one for each member of each group, such as `photo_album`. It has four columns in this order:
    /// `id` (the identities of group and member, joined by `/`), the identity of the group, such as `album_id`, that of the
    /// member, such as `photo_id`, and the value, which has the name [`value`](Self::value).
    pub table: &'static Table,
    /// The table of the members, which are the records of the list.
    pub members: &'static Table,
    /// The table of the groups. The first parameter of [`of_group`](Self::of_group) is an identity in it.
    pub groups: &'static Table,
    /// The name of the value, such as `status`.
    pub value: &'static str,
    /// The values that the contract lists. There may be others.
    pub known_values: &'static [&'static str],
    /// Returns the query for the members of a group, from its identity. Fails if the identity cannot be a parameter.
    pub of_group: fn(group: &str) -> Result<O, Error>,
    /// Returns the query for the members of a group with a value. Fails if the identity or the value cannot be a parameter.
    pub of_value: fn(group: &str, value: &str) -> Result<O, Error>,
    /// Returns the group and the value that a query selects, if it does.
    pub filters: Filters<O>,
}

/// Returns the group and the value that a query selects, if it does.
pub type Filters<O> = fn(query: &O) -> (Option<String>, Option<String>);

/// An amount that an operation returns, such as a balance.
///
/// ```
/// use methodical_model::Gauge;
///
/// let gauge = Gauge::new("storage", &["free"]).with_unit(&["unit"]);
/// assert_eq!(gauge.value(), ["free"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    name: &'static str,
    value: &'static [&'static str],
    unit: Option<&'static [&'static str]>,
}

impl Gauge {
    /// Creates the description from the name of the amount, and the path of the field with its value: a decimal number,
    /// as a JSON number or text.
    #[must_use]
    pub const fn new(name: &'static str, value: &'static [&'static str]) -> Self {
        Self { name, value, unit: None }
    }

    /// Sets the path of the field with the unit, such as a currency code.
    #[must_use]
    pub const fn with_unit(self, unit: &'static [&'static str]) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// Returns the name of the amount, such as `credits`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the names of the fields that lead to the value, from the outside in.
    pub const fn value(&self) -> &'static [&'static str] {
        self.value
    }

    /// Returns the names of the fields that lead to the unit; `None` without a unit.
    pub const fn unit(&self) -> Option<&'static [&'static str]> {
        self.unit
    }
}

/// Reads the value of a parameter from the text of an identity.
#[doc(hidden)]
pub fn parameter<T: FromStr>(name: &'static str, text: &str) -> Result<T, Error> {
    text.parse().ok().ok_or_else(|| Error::parameter(name, "a value of its type"))
}

/// Returns a query that can be sent.
#[doc(hidden)]
pub fn sendable<O: Operation>(query: O) -> Result<O, Error> {
    query.query().map(|_| query)
}
