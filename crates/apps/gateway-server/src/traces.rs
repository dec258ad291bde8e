//! A span for each request, exported over OTLP to a collector. Only with the feature `opentelemetry`, and only if an
//! endpoint is set.

#[cfg(feature = "opentelemetry")]
mod attributes;
#[cfg(feature = "opentelemetry")]
mod environment;
#[cfg(feature = "opentelemetry")]
mod exporter;
#[cfg(feature = "opentelemetry")]
mod outcomes;
#[cfg(feature = "opentelemetry")]
mod processor;
#[cfg(feature = "opentelemetry")]
mod with;

#[cfg(feature = "opentelemetry")]
pub(crate) use self::with::{RequestTrace, Traces};
#[cfg(not(feature = "opentelemetry"))]
pub(crate) use self::without::{RequestTrace, Traces};

#[cfg(not(feature = "opentelemetry"))]
mod without {
    use http::HeaderMap;

    use crate::error::Error;
    use crate::front::metrics::Exposition;
    use crate::front::recorder::EndedResponse;

    /// Exports nothing.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Traces(());

    /// Records nothing.
    #[derive(Debug)]
    pub(crate) struct RequestTrace(());

    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "the same functions as with the feature"
    )]
    impl Traces {
        pub(crate) fn from_environment() -> Result<Self, Error> {
            Ok(Self(()))
        }

        pub(crate) fn of_service(self, _path: &str, _is_https: bool) -> Self {
            self
        }

        pub(crate) fn log_start(&self) {}

        pub(crate) fn begin(&self) -> RequestTrace {
            RequestTrace(())
        }

        pub(crate) fn write(&self, _out: &mut Exposition) {}

        pub(crate) fn stop(&self) {}
    }

    #[expect(clippy::unused_self, reason = "the same functions as with the feature")]
    impl RequestTrace {
        pub(crate) fn arrived(&mut self, _path: &str, _headers: &HeaderMap) {}

        pub(crate) fn ended(&self, _response: &mut EndedResponse) {}
    }
}
