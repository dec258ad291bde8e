//! Without the feature `opentelemetry`, no spans are exported.

use http::request::Parts;

use crate::config::Config;
use crate::error::Error;
use crate::front::recorder::EndedResponse;

/// Exports nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces(());

/// Records nothing.
#[derive(Debug)]
pub(crate) struct RequestTrace(());

#[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as with the feature")]
impl Traces {
    pub(crate) fn from_environment(_config: &Config) -> Result<Self, Error> {
        Ok(Self(()))
    }

    pub(crate) fn begin(&self, _request: &Parts) -> RequestTrace {
        RequestTrace(())
    }

    pub(crate) fn stop(&self) {}
}

#[expect(clippy::unused_self, reason = "as with the feature")]
impl RequestTrace {
    pub(crate) fn ended(&self, _response: &mut EndedResponse) {}
}
