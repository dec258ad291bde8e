//! A check of the contract, and its source.

use std::fmt;

use crate::contract::evidence::Evidence;
use crate::outcome::Outcome;

/// A check of the contract.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ContractCheck {
    /// The name of the check, with its group: `credits.response`.
    pub name: &'static str,
    /// The rule that the check enforces, in one line.
    pub title: &'static str,
    /// The source of the rule.
    pub source: Source,
    pub(super) judge: fn(&Evidence) -> Outcome,
}

/// The source of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// A section of the contract.
    Contract(&'static str),
    /// A section of an RFC.
    Rfc(&'static str),
    /// A decision about a point that the contract leaves open, by its name in the spec.
    Decision(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contract(section) => write!(f, "contract {section}"),
            Self::Rfc(section) => write!(f, "RFC {section}"),
            Self::Decision(name) => f.write_str(name),
        }
    }
}

/// Defines a group of checks: `name: "title", source => judge;`.
macro_rules! group {
    ($group:literal: $($name:ident: $title:literal, $source:ident($from:literal) => $judge:expr;)+) => {
        pub(in crate::contract) const CHECKS: &[crate::contract::check::ContractCheck] =
            &[$(crate::contract::check::ContractCheck {
                name: concat!($group, ".", stringify!($name)),
                title: $title,
                source: crate::contract::check::Source::$source($from),
                judge: $judge,
            }),+];
    };
}

pub(super) use group;
