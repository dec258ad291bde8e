//! Configures reqwest, with its proxies.
use std::env;

use ::reqwest::{Client, NoProxy, redirect, retry};

use crate::reqwest::classify::classify;
use crate::{Options, Phase, Proxy, TransportError};

/// The settings of a client, to create more clients like the first.
pub(super) struct Settings {
    options: Options,
    proxies: Vec<::reqwest::Proxy>,
    #[cfg(feature = "__tls")]
    tls: rustls::ClientConfig,
}

impl Settings {
    pub(super) fn new(options: &Options) -> Result<Self, TransportError> {
        let options = options.checked()?;
        Ok(Self {
            proxies: match &options.proxy {
                Proxy::Environment if options.uses_environment_proxy() => from_environment(),
                Proxy::Server(server) => vec![explicit(&server.address())?],
                Proxy::Environment | Proxy::Never => Vec::new(),
            },
            #[cfg(feature = "__tls")]
            tls: crate::tls::client_config(&options)?,
            options,
        })
    }

    pub(super) fn client(&self) -> Result<Client, TransportError> {
        let options = &self.options;
        let mut builder = Client::builder()
            .connect_timeout(options.connect_timeout)
            .read_timeout(options.idle_timeout)
            .timeout(options.total_timeout)
            .pool_idle_timeout(options.pool_idle_timeout)
            .pool_max_idle_per_host(options.pool_max_idle)
            // Following redirects would send the credentials to any host the peer names.
            .redirect(redirect::Policy::none())
            // The default sends the previous URL, including its query.
            .referer(false)
            // The default silently retries some refused requests.
            .retry(retry::never())
            // The following are off by default, unless another crate of the program enables their cargo features.
            .http1_only()
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .no_hickory_dns()
            // The default reads the environment itself.
            .no_proxy();
        for proxy in &self.proxies {
            builder = builder.proxy(proxy.clone());
        }
        #[cfg(feature = "__tls")]
        {
            builder = builder.tls_backend_preconfigured(self.tls.clone());
        }
        builder.build().map_err(|error| classify(error, Phase::Unknown))
    }
}

/// Returns the proxies of the environment, with this machine added to `NO_PROXY`.
///
/// reqwest reads the same variables by default, but makes no exception for this machine, and none can be added.
fn from_environment() -> Vec<::reqwest::Proxy> {
    let direct = variable("NO_PROXY").unwrap_or_default() + "," + THIS_MACHINE;
    let first = |names: [&str; 2], make: fn(String) -> ::reqwest::Result<::reqwest::Proxy>| {
        names.iter().filter_map(|name| variable(name)).find_map(|address| make(address).ok())
    };
    let http = first(["HTTP_PROXY", "ALL_PROXY"], ::reqwest::Proxy::http);
    let https = first(["HTTPS_PROXY", "ALL_PROXY"], ::reqwest::Proxy::https);
    let both = [http, https].into_iter().flatten();
    both.map(|proxy| proxy.no_proxy(NoProxy::from_string(&direct))).collect()
}

/// Returns the proxy at this address, for every host except this machine.
fn explicit(address: &str) -> Result<::reqwest::Proxy, TransportError> {
    let proxy = ::reqwest::Proxy::all(address).map_err(|error| classify(error, Phase::Unknown))?;
    Ok(proxy.no_proxy(NoProxy::from_string(THIS_MACHINE)))
}

/// Returns the variable `name`, or else the variable of that name in lower case.
fn variable(name: &str) -> Option<String> {
    env::var(name).or_else(|_| env::var(name.to_ascii_lowercase())).ok()
}

/// This machine, in the syntax of `NO_PROXY`, where a name also matches its subdomains.
const THIS_MACHINE: &str = "localhost,127.0.0.0/8,::1";
