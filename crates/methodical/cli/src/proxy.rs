//! The proxy variables of the environment. The transport reads them too, but ignores an invalid address and connects directly.

use std::env;

use http::Uri;

use crate::failure::Failure;

/// Refuses an invalid proxy address, if calls to this base URL would use it.
pub(crate) fn check(base_url: &str) -> Result<(), Failure> {
    let Some(name) = variable_for(base_url) else { return Ok(()) };
    // The address may contain credentials, so it is not shown.
    if env::var(&name).is_ok_and(|address| is_valid(&address)) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the environment variable {name} is not the address of an http proxy"
    ))
    .hint("use an address such as http://proxy.example.com:3128, or unset the variable"))
}

/// Returns the name of the variable with the proxy of this base URL. Calls to this machine, and to hosts in `NO_PROXY`, use
/// none.
pub(crate) fn variable_for(base_url: &str) -> Option<String> {
    let url: Uri = base_url.parse().ok()?;
    let host = url.host()?.to_ascii_lowercase();
    let own = if url.scheme_str()? == "https" { "HTTPS_PROXY" } else { "HTTP_PROXY" };
    let is_set = |name: &String| env::var_os(name).is_some_and(|value| !value.is_empty());
    let either = |name: &str| [name.to_owned(), name.to_ascii_lowercase()].into_iter().find(is_set);
    let name = either(own).or_else(|| either("ALL_PROXY"))?;
    let direct = either("NO_PROXY").and_then(|name| env::var(name).ok()).unwrap_or_default();
    // A CGI program uses no proxy: there the caller controls the variable.
    let uses_none = is_this_machine(&host)
        || direct.split(',').any(|entry| is_below(&host, entry.trim()))
        || env::var_os("REQUEST_METHOD").is_some();
    (!uses_none).then_some(name)
}

/// Returns whether this is the URL of a service on this machine.
pub(crate) fn is_local(base_url: &str) -> bool {
    base_url.parse::<Uri>().is_ok_and(|url| url.host().is_some_and(is_this_machine))
}

fn is_valid(address: &str) -> bool {
    let address = address.trim();
    let full = if address.contains("://") { address } else { &format!("http://{address}") };
    let Ok(url) = full.parse::<Uri>() else { return false };
    let (Some(scheme), Some(authority)) = (url.scheme_str(), url.authority()) else { return false };
    let place = authority.as_str().rsplit('@').next().unwrap_or_default();
    let port = place == authority.host() || authority.port_u16().is_some();
    matches!(scheme, "http" | "https") && !authority.host().is_empty() && port
}

fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    is_below(&host, "localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns whether a host has this name, or one below it.
fn is_below(host: &str, name: &str) -> bool {
    let name = name.trim_start_matches('.').to_ascii_lowercase();
    let rest = host.strip_suffix(name.as_str()).filter(|_| !name.is_empty());
    name == "*" || rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::{is_below, is_this_machine, is_valid};

    #[test]
    fn only_addresses_of_http_proxies_are_valid() {
        for good in
            ["http://p:3128", "https://p", "p:3128", "proxy", "http://u:p@h:1/", "http://[::1]:8"]
        {
            assert!(is_valid(good), "{good}");
        }
        for bad in
            ["garbage://", "garbage://h", "socks5://h:1080", "http://", "http://h:99999", "a b"]
        {
            assert!(!is_valid(bad), "{bad}");
        }
    }

    #[test]
    fn a_name_matches_the_hosts_below_it() {
        assert!(is_below("h.example", "h.example") && is_below("a.h.example", ".h.example"));
        assert!(is_below("h", "*") && !is_below("ah.example", "h.example") && !is_below("h", ""));
        assert!(
            is_this_machine("127.9.9.9")
                && is_this_machine("::1")
                && is_this_machine("a.localhost")
        );
        assert!(!is_this_machine("h.example"));
    }
}
