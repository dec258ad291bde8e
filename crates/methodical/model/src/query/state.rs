//! The type states of a query: which parameters are set.

use core::fmt;
use core::marker::PhantomData;

/// Type state of a query: the parameter is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Set;

/// Type state of a query: nothing is known about the parameter, so no other one may rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Unset;

/// Whether a parameter is known to be set, as a constant of the type state.
pub trait State: fmt::Debug + 'static {
    /// Whether the parameter is known to be set.
    const GIVEN: bool;
}

impl State for Set {
    const GIVEN: bool = true;
}

impl State for Unset {
    const GIVEN: bool = false;
}

/// Carries the type states of a query. A function type is always `Send` and `Sync`.
pub type Given<T> = PhantomData<fn() -> T>;

/// The states of several parameters: a tuple with a state at this position, counted from 0.
///
/// Implemented for the tuples that generated queries have. A tuple of more than eleven states is nested:
/// the twelfth part holds the others.
///
/// # Examples
///
/// ```
/// use methodical_model::{At, Set, Unset, With};
///
/// fn is_set<States: At<1, Is = Set>>(_: &States) {}
///
/// let states: Option<With<(Set, Unset, Unset), 1>> = None;
/// let states: Option<(Set, Set, Unset)> = states;
/// states.iter().for_each(is_set);
/// ```
pub trait At<const POSITION: usize>: fmt::Debug + 'static {
    /// The state at the position.
    type Is: State;

    /// The same states, with `Set` at the position.
    type After;
}

/// The same states, with [`Set`] at this position.
pub type With<States, const POSITION: usize> = <States as At<POSITION>>::After;

/// Returns whether the parameter at this position is set.
pub const fn is_set<States: At<POSITION>, const POSITION: usize>() -> bool {
    <States::Is as State>::GIVEN
}

/// Implements every position of one tuple. The brackets hold the parts before and from the position.
macro_rules! positions {
    ([$($before:ident)*] [] $($rest:ident)?) => {};
    ([$($before:ident)*] [$this:ident $index:literal $($after:ident $others:literal)*] $($rest:ident)?) => {
        impl<$($before: State,)* $this: State, $($after: State,)* $($rest: fmt::Debug + 'static)?> At<$index>
            for ($($before,)* $this, $($after,)* $($rest,)?)
        {
            type Is = $this;
            type After = ($($before,)* Set, $($after,)* $($rest,)?);
        }

        positions!([$($before)* $this] [$($after $others)*] $($rest)?);
    };
}

/// Implements the positions of tuples of each length.
macro_rules! tuples {
    ([$($part:ident $index:literal)*] []) => {
        positions!([] [$($part $index)*] Rest);
    };
    ([$($part:ident $index:literal)*] [$next:ident $last:literal $($more:ident $others:literal)*]) => {
        positions!([] [$($part $index)* $next $last]);
        tuples!([$($part $index)* $next $last] [$($more $others)*]);
    };
}

/// Implements the positions after the eleventh: those of the twelfth part.
macro_rules! nested {
    ($($index:literal $inner:literal)*) => {$(
        impl<A, B, C, D, E, F, G, H, I, J, K, Rest> At<$index> for (A, B, C, D, E, F, G, H, I, J, K, Rest)
        where
            Self: fmt::Debug + 'static,
            Rest: At<$inner>,
        {
            type Is = Rest::Is;
            type After = (A, B, C, D, E, F, G, H, I, J, K, Rest::After);
        }
    )*};
}

tuples!([] [A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10]);
#[rustfmt::skip]
nested!(
    11 0 12 1 13 2 14 3 15 4 16 5 17 6 18 7 19 8 20 9 21 10 22 11 23 12 24 13 25 14 26 15 27 16 28 17 29 18 30 19
    31 20 32 21 33 22 34 23 35 24 36 25 37 26 38 27 39 28 40 29 41 30 42 31 43 32 44 33 45 34 46 35 47 36 48 37 49 38
    50 39 51 40 52 41 53 42 54 43 55 44 56 45 57 46 58 47 59 48 60 49 61 50 62 51 63 52
);
