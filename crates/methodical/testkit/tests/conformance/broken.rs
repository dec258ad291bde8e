//! Broken transports. Each breaks one promise.

#![expect(clippy::map_err_ignore, clippy::mem_forget, reason = "broken on purpose")]

use methodical_testkit::conformance::Factory;

/// A broken transport, with the checks that it must fail.
pub(crate) struct Broken {
    pub(crate) name: &'static str,
    pub(crate) factory: Factory,
    pub(crate) fails: &'static [&'static str],
}

/// Declares the transports of a file, in groups. A group names a function, whose second argument is different for each
/// transport.
macro_rules! broken {
    ($(@$by:ident: $(
        $(#[$attribute:meta])* $name:ident [$($fails:expr),+ $(,)?] = $break:expr;
    )+)+) => {
        pub(crate) const BROKEN: &[$crate::broken::Broken] = &[$($($crate::broken::Broken {
            name: stringify!($name),
            factory: |setup| $by(setup, $break),
            fails: &[$($fails),+],
        }),+),+];
    };
}

mod careless;
mod connections;
mod requests;
mod responses;
mod support;
mod time;
mod wire;

/// All broken transports. The first of [`careless::CARELESS`] breaks no rule.
pub(crate) fn all() -> impl Iterator<Item = &'static Broken> {
    let lists =
        [careless(), connections::BROKEN, requests::BROKEN, responses::BROKEN, time::BROKEN];
    lists.into_iter().flatten()
}

/// The careless clients that break a rule.
pub(crate) fn careless() -> &'static [Broken] {
    careless::CARELESS.get(1..).unwrap_or_default()
}

/// The careless client that breaks no rule.
pub(crate) fn breaks_no_rule() -> Factory {
    let [first, ..] = careless::CARELESS else { panic!("no careless client") };
    first.factory
}
