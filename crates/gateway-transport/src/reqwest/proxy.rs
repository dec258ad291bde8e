//! Proxies for every host except this machine.
use std::env;

use ::reqwest::{NoProxy, Proxy};

use crate::reqwest::classify::classify;
use crate::{Phase, TransportError};

/// Returns the proxies of the environment, with this machine added to `NO_PROXY`.
///
/// reqwest reads the same variables by default, but makes no exception for this machine, and none can be added.
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

/// Returns the proxy at this address, for every host except this machine.
pub(super) fn explicit(address: &str) -> Result<Proxy, TransportError> {
    let proxy = Proxy::all(address).map_err(|error| classify(error, Phase::Unknown))?;
    Ok(proxy.no_proxy(NoProxy::from_string(THIS_MACHINE)))
}

/// Returns the variable `name`, or else the variable of that name in lower case.
fn variable(name: &str) -> Option<String> {
    env::var(name).or_else(|_| env::var(name.to_ascii_lowercase())).ok()
}

/// This machine, in the syntax of `NO_PROXY`, where a name also matches its subdomains.
const THIS_MACHINE: &str = "localhost,127.0.0.0/8,::1";
