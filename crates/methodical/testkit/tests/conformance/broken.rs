//! Broken transports. Each breaks one promise.

#![expect(clippy::map_err_ignore, clippy::mem_forget, reason = "broken on purpose")]

use methodical_testkit::conformance::Factory;

/// A broken transport, and the checks that it must fail.
pub(crate) struct Broken {
    pub(crate) name: &'static str,
    pub(crate) factory: Factory,
    pub(crate) fails: &'static [&'static str],
}

/// Declares a list of transports: each by its factory, or by the argument of a function that creates it.
macro_rules! broken {
    ($list:ident: $($(#[$attribute:meta])* $name:ident [$($fails:expr),+ $(,)?] = $factory:expr;)+) => {
        pub(crate) const $list: &[$crate::broken::Broken] = &[$($crate::broken::Broken {
            name: stringify!($name),
            factory: $factory,
            fails: &[$($fails),+],
        }),+];
    };
    ($list:ident, $by:path: $($(#[$attribute:meta])* $name:ident [$($fails:expr),+ $(,)?] = $break:expr;)+) => {
        broken! { $list: $($(#[$attribute])* $name [$($fails),+] = |setup| $by(setup, $break);)+ }
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
    use self::{connections, requests, responses, time};
    let lists = [
        careless(),
        connections::AGAIN,
        connections::CONNECTIONS,
        requests::KEPT,
        requests::LOWERED,
        requests::OF_ONE_METHOD,
        requests::REQUESTS,
        requests::RETURNS,
        requests::STATEFUL,
        requests::URIS,
        responses::ALL_HEADERS,
        responses::BODIES,
        responses::DECODED,
        responses::DROPPED,
        responses::HEADERS,
        responses::MISPHASED,
        responses::RESPONSES,
        responses::STRIPPED,
        responses::UNSENT,
        responses::WITH_REQUEST,
        time::SETTINGS,
        time::TIME,
    ];
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
