//! The proxies of the environment, for every host but this machine.
use std::env;

use ::reqwest::{NoProxy, Proxy};

/// Reads what the environment says about proxies, and adds this machine to the hosts that have none.
///
/// reqwest reads the same on its own, but knows no such exception and takes none in addition.
pub(super) fn from_environment() -> Vec<Proxy> {
    let direct = variable("NO_PROXY").unwrap_or_default() + "," + THIS_MACHINE;
    let first = |names: [&str; 2], make: fn(String) -> ::reqwest::Result<Proxy>| {
        names.iter().filter_map(|name| variable(name)).find_map(|address| make(address).ok())
    };
    let http = first(["HTTP_PROXY", "ALL_PROXY"], Proxy::http);
    let https = first(["HTTPS_PROXY", "ALL_PROXY"], Proxy::https);
    let both = [http, https].into_iter().flatten();
    both.map(|proxy| proxy.no_proxy(NoProxy::from_string(&direct))).collect()
}

/// Returns a variable of this name or, if there is none, of the same in lower case.
fn variable(name: &str) -> Option<String> {
    env::var(name).or_else(|_| env::var(name.to_ascii_lowercase())).ok()
}

/// In the terms of `NO_PROXY`, where a name stands for all that end in it, too.
const THIS_MACHINE: &str = "localhost,127.0.0.0/8,::1";
