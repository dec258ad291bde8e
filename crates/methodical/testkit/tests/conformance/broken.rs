//! Broken transports. Each breaks one promise.

#![expect(clippy::map_err_ignore, clippy::mem_forget, reason = "broken on purpose")]

use methodical_testkit::conformance::Factory;

/// A broken transport, and the checks that it must fail.
pub(crate) struct Broken {
    pub(crate) name: &'static str,
    pub(crate) factory: Factory,
    pub(crate) fails: &'static [&'static str],
}

macro_rules! broken {
    ($list:ident: $($(#[$attribute:meta])* $name:ident [$($fails:literal),+ $(,)?] = $factory:expr;)+) => {
        pub(crate) const $list: &[$crate::broken::Broken] = &[$($crate::broken::Broken {
            name: stringify!($name),
            factory: $factory,
            fails: &[$($fails),+],
        }),+];
    };
}

mod careless;
mod classes;
mod connections;
mod headers;
mod promises;
mod requests;
mod responses;
mod support;
mod time;
mod wire;

/// All broken transports. The first of [`careless::CARELESS`] breaks no rule.
pub(crate) fn all() -> impl Iterator<Item = &'static Broken> {
    use self::{classes, connections, headers, promises, requests, responses, time};
    let lists = [
        careless(),
        classes::AGAIN,
        classes::DROPS,
        classes::ERRORS,
        classes::HOSTS,
        classes::REQUESTS,
        classes::SETTINGS,
        connections::CONNECTIONS,
        headers::HEADERS,
        promises::PROMISES,
        requests::REQUESTS,
        responses::RESPONSES,
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
