//! What a check is, and how it ends.

use std::fmt;

use crate::contract::evidence::Evidence;

/// A check of the contract.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Check {
    /// The group and the name: `credits.answer`.
    pub name: &'static str,
    /// What must be true, in one line.
    pub title: &'static str,
    /// What it is taken from.
    pub source: Source,
    pub(super) judge: fn(&Evidence) -> Outcome,
}

/// What a check is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// A section of the service text.
    Text(&'static str),
    /// A section of an RFC.
    Rfc(&'static str),
    /// A decision about what the service text leaves open, by its name in the spec.
    Decision(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(section) => write!(f, "service text {section}"),
            Self::Rfc(section) => write!(f, "RFC {section}"),
            Self::Decision(name) => f.write_str(name),
        }
    }
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The service does as the contract says.
    Pass,
    /// It does not; the text says what it does instead.
    Fail(String),
    /// It could not be seen, or the contract leaves it open; the text says what was seen.
    NotShown(String),
}

impl Verdict {
    /// Returns the verdict in one word: `pass`, `fail` or `not-shown`.
    ///
    /// ```
    /// assert_eq!(gateway_testkit::contract::Verdict::Pass.word(), "pass");
    /// ```
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::NotShown(_) => "not-shown",
        }
    }

    /// Returns what was seen instead; empty after a pass.
    ///
    /// ```
    /// assert_eq!(gateway_testkit::contract::Verdict::Fail("404".into()).detail(), "404");
    /// ```
    pub fn detail(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Fail(detail) | Self::NotShown(detail) => detail,
        }
    }
}

/// How the judgement of a check ends.
pub(super) type Outcome<T = ()> = Result<T, Stop>;

/// Why a judgement did not come to a good end.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// The service does something else.
    Fail(String),
    /// The evidence does not show it.
    NotShown(String),
}

pub(super) fn fail<T>(text: impl Into<String>) -> Outcome<T> {
    Err(Stop::Fail(text.into()))
}

pub(super) fn not_shown<T>(text: impl Into<String>) -> Outcome<T> {
    Err(Stop::NotShown(text.into()))
}

/// Fails with a text unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return crate::contract::check::fail(format!($($text)+));
        }
    };
}

/// A group of checks: `name: "title", source => judge;`.
macro_rules! group {
    ($group:literal: $($name:ident: $title:literal, $source:ident($from:literal);)+) => {
        pub(in crate::contract) const CHECKS: &[crate::contract::check::Check] = &[$(crate::contract::check::Check {
            name: concat!($group, ".", stringify!($name)),
            title: $title,
            source: crate::contract::check::Source::$source($from),
            judge: $name,
        }),+];
    };
}

pub(super) use ensure;
pub(super) use group;
