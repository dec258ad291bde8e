//! The contract checks, by group, and the source of each. Most follow from the description of the service.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use crate::contract::description::Contract;
use crate::contract::evidence::Evidence;
use crate::outcome::Outcome;

mod authorization;
mod errors;
mod filters;
mod method;
mod query;
mod records;
mod representation;

/// A check of one contract rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContractCheck {
    /// The name of the check with its group, such as `photos.response`.
    pub name: Cow<'static, str>,
    /// The rule that the check enforces, in one line.
    pub title: Cow<'static, str>,
    /// The source of the rule.
    pub source: Source,
}

/// The source of a rule, which decides whether breaking the rule is a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// A section of the contract; empty if the spec names none.
    Contract(&'static str),
    /// A section of an RFC.
    Rfc(&'static str),
    /// A decision about an open point, by its name in the spec; general ones, such as `D-method`, are in all specs.
    Decision(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contract("") => f.write_str("contract"),
            Self::Contract(section) => write!(f, "contract {section}"),
            Self::Rfc(section) => write!(f, "RFC {section}"),
            Self::Decision(name) => f.write_str(name),
        }
    }
}

/// A check, with the function that evaluates the responses.
pub(super) struct Judged {
    pub(super) check: ContractCheck,
    pub(super) judge: Judge,
}

pub(super) type Judge = Box<dyn Fn(&Evidence<'_>) -> Outcome>;

/// The checks of one group.
pub(super) struct Group {
    name: &'static str,
    pub(super) checks: Vec<Judged>,
}

impl Group {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, checks: Vec::new() }
    }

    pub(super) fn add(
        &mut self,
        name: impl fmt::Display,
        title: impl Into<Cow<'static, str>>,
        source: Source,
        judge: impl Fn(&Evidence<'_>) -> Outcome + 'static,
    ) {
        let name = format!("{}.{name}", self.name).into();
        let check = ContractCheck { name, title: title.into(), source };
        self.checks.push(Judged { check, judge: Box::new(judge) });
    }
}

/// Returns all checks of a service.
pub(super) fn all(contract: &'static Contract) -> Vec<Judged> {
    let general: [fn(&'static Contract) -> Group; 6] = [
        filters::group,
        query::group,
        method::group,
        authorization::group,
        errors::group,
        representation::group,
    ];
    // The general checks call an operation.
    let is_called = contract.operations.is_empty() || contract.probe().is_some();
    let general = general.into_iter().filter(|_| is_called).map(|group| group(contract));
    let groups = contract.operations.iter().map(records::group).chain(general);
    let mut checks: Vec<_> = groups.flat_map(|group| group.checks).collect();
    // A field's check may have the same name as another check.
    let mut names = BTreeSet::new();
    for Judged { check, .. } in &mut checks {
        while !names.insert(check.name.clone()) {
            check.name.to_mut().push('_');
        }
    }
    checks
}
