//! Configures reqwest.
use ::reqwest::{Client, redirect, retry};

use crate::reqwest::classify::classify;
use crate::reqwest::proxy;
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
                Proxy::Environment if options.uses_environment_proxy() => proxy::from_environment(),
                Proxy::Server(server) => vec![proxy::explicit(&server.address())?],
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
