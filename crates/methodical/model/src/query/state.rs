//! The type states of a query: which parameters are set.

use core::marker::PhantomData;

/// Type state of a query: the parameter is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Set;

/// Type state of a query: nothing is known about the parameter, so no other one may rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Unset;

/// Carries the type states of a query. A function type is always `Send` and `Sync`.
pub type Given<T> = PhantomData<fn() -> T>;
