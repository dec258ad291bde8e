//! The variables `OTEL_…` that say where spans go. The SDK skips values that it cannot use; here they are errors.
//!
//! The SDK itself reads the headers, the sampler and the attributes of the process.

use std::ffi::OsString;
use std::time::Duration;

use http::uri::PathAndQuery;
use http::{HeaderName, HeaderValue, Uri};

use crate::error::{Error, ErrorKind};

/// Where spans go, and how.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) endpoint: Uri,
    /// Timeout of the export of one batch.
    pub(super) timeout: Duration,
    /// Maximum number of spans that wait.
    pub(super) queue: usize,
}

impl Settings {
    /// Reads the settings from the variables that `lookup` returns. `None` means that no span is exported.
    pub(super) fn read(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Option<Self>, Error> {
        let variables = Variables(lookup);
        let is_disabled = variables.text("OTEL_SDK_DISABLED")?;
        if is_disabled.is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let exporter = variables.one_of("OTEL_TRACES_EXPORTER", &["otlp", "none"])?;
        let Some(endpoint) = variables.endpoint()? else { return Ok(None) };
        if exporter.as_deref() == Some("none") {
            return Ok(None);
        }
        for (name, allowed) in ONLY {
            variables.one_of(name, allowed)?;
        }
        variables.check_sampler()?;
        variables.check_headers("OTEL_EXPORTER_OTLP_HEADERS")?;
        variables.check_headers("OTEL_EXPORTER_OTLP_TRACES_HEADERS")?;
        let timeout = match variables.number("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")? {
            Some(own) => Some(own),
            None => variables.number("OTEL_EXPORTER_OTLP_TIMEOUT")?,
        };
        let timeout = timeout.map_or(TIMEOUT, |ms| Duration::from_millis(u64::from(ms)));
        let queue = variables.number("OTEL_BSP_MAX_QUEUE_SIZE")?;
        let queue = queue.map_or(QUEUE, |spans| usize::try_from(spans).unwrap_or(QUEUE));
        Ok(Some(Self { endpoint, timeout, queue }))
    }

    pub(super) fn is_https(&self) -> bool {
        self.endpoint.scheme_str() == Some("https")
    }

    /// Returns the endpoint without its query, which may contain a key.
    pub(super) fn endpoint_shown(&self) -> String {
        let text = self.endpoint.to_string();
        text.split('?').next().unwrap_or_default().to_owned()
    }
}

struct Variables<F>(F);

impl<F: Fn(&str) -> Option<OsString>> Variables<F> {
    /// Returns the value of a variable. An empty one counts as unset.
    fn text(&self, name: &str) -> Result<Option<String>, Error> {
        let Some(value) = (self.0)(name) else { return Ok(None) };
        let text = value
            .into_string()
            .map_err(|_value| invalid(name, "it is not UTF-8", "set it again"))?;
        Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
    }

    fn one_of(&self, name: &str, allowed: &[&str]) -> Result<Option<String>, Error> {
        let value = self.text(name)?;
        if value.as_deref().is_some_and(|value| !allowed.contains(&value)) {
            let next = format!("set it to {}", allowed.join(" or "));
            return Err(invalid(name, "its value is not supported", &next));
        }
        Ok(value)
    }

    /// Reads a whole number, 1 or more.
    fn number(&self, name: &str) -> Result<Option<u32>, Error> {
        let number = |text: String| text.parse().ok().filter(|number| *number > 0);
        let invalid = || invalid(name, "it is not a whole number, 1 or more", "set it to one");
        self.text(name)?.map(|text| number(text).ok_or_else(invalid)).transpose()
    }

    /// Returns the URL for spans. The path of OTLP is appended to the general variable only.
    fn endpoint(&self) -> Result<Option<Uri>, Error> {
        let own = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
        if let Some(text) = self.text(own)? {
            return url(own, &text).map(Some);
        }
        let general = "OTEL_EXPORTER_OTLP_ENDPOINT";
        let Some(text) = self.text(general)? else { return Ok(None) };
        let mut parts = url(general, &text)?.into_parts();
        let base = parts.path_and_query.as_ref().map_or("", PathAndQuery::path);
        let path = format!("{}/v1/traces", base.trim_end_matches('/'));
        parts.path_and_query = path.parse().ok();
        Ok(Uri::from_parts(parts).ok())
    }

    fn check_sampler(&self) -> Result<(), Error> {
        let sampler = self.one_of("OTEL_TRACES_SAMPLER", SAMPLERS)?;
        if !sampler.is_some_and(|sampler| sampler.ends_with("traceidratio")) {
            return Ok(());
        }
        let name = "OTEL_TRACES_SAMPLER_ARG";
        let ratio = self.text(name)?.map(|text| text.parse::<f64>());
        match ratio {
            None => Ok(()),
            Some(Ok(ratio)) if (0.0..=1.0).contains(&ratio) => Ok(()),
            Some(_) => Err(invalid(name, "it is not a number from 0 to 1", "set it to one")),
        }
    }

    /// Checks `NAME=VALUE,NAME=VALUE`. The values are secrets.
    fn check_headers(&self, name: &str) -> Result<(), Error> {
        let Some(text) = self.text(name)? else { return Ok(()) };
        for (index, entry) in text.split_terminator(',').enumerate() {
            let is_header = |(key, value): (&str, &str)| {
                let value = value.trim();
                !value.is_empty()
                    && HeaderName::try_from(key.trim()).is_ok()
                    && HeaderValue::from_str(value).is_ok()
            };
            if !entry.split_once('=').is_some_and(is_header) {
                let cause = format!("entry {} is not NAME=VALUE", index + 1);
                return Err(invalid(name, &cause, "separate entries by commas"));
            }
        }
        Ok(())
    }
}

/// Reads the URL of a collector. Its errors do not repeat it: it may contain a password.
fn url(name: &str, text: &str) -> Result<Uri, Error> {
    let uri = text.parse::<Uri>().ok();
    let authority = uri.as_ref().and_then(Uri::authority);
    if authority.is_some_and(|authority| authority.as_str().contains('@')) {
        let next = "put credentials into OTEL_EXPORTER_OTLP_HEADERS";
        return Err(invalid(name, "it contains a user or a password", next));
    }
    // The type also accepts a port that is not a number.
    let is_reachable = authority.is_some_and(|authority| {
        let host = authority.host();
        !host.is_empty() && (authority.as_str() == host || authority.port_u16().is_some())
    });
    let is_http = |uri: &Uri| ["http", "https"].map(Some).contains(&uri.scheme_str());
    let usable = uri.filter(|uri| is_reachable && is_http(uri));
    let next = "set it to a URL such as http://127.0.0.1:4318";
    usable.ok_or_else(|| invalid(name, "it is not an http or https URL", next))
}

fn invalid(name: &str, cause: &str, next: &str) -> Error {
    Error::new(ErrorKind::Config, format!("cannot use {name}: {cause}; {next}"))
}

/// The values of variables that select something for which there is one choice.
const ONLY: [(&str, &[&str]); 4] = [
    ("OTEL_EXPORTER_OTLP_PROTOCOL", &["http/protobuf"]),
    ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", &["http/protobuf"]),
    ("OTEL_EXPORTER_OTLP_COMPRESSION", &["none"]),
    ("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", &["none"]),
];

/// The samplers of the SDK.
const SAMPLERS: &[&str] = &[
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
];

/// Timeout of the export of a batch, with its retries. The default of the standard.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of spans that wait for their export. The default of the standard.
const QUEUE: usize = 2048;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<Settings>, Error> {
        Settings::read(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| value.into())
        })
    }

    const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    const OWN: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

    #[test]
    fn the_path_is_appended_to_the_general_endpoint_only() {
        for (variables, expected) in [
            (&[(ENDPOINT, "http://a:4318")][..], "http://a:4318/v1/traces"),
            (&[(ENDPOINT, "https://a/b/")], "https://a/b/v1/traces"),
            (&[(OWN, "http://a:4318/x")], "http://a:4318/x"),
            (&[(ENDPOINT, "http://a"), (OWN, "http://[::1]:1/x?key=1")], "http://[::1]:1/x"),
        ] {
            let settings = read(variables).unwrap().unwrap();
            assert_eq!(settings.endpoint_shown(), expected);
        }
    }

    #[test]
    fn without_an_endpoint_nothing_is_exported() {
        assert!(read(&[]).unwrap().is_none());
        assert!(read(&[(ENDPOINT, " ")]).unwrap().is_none());
        assert!(read(&[(ENDPOINT, "http://a"), ("OTEL_SDK_DISABLED", "TRUE")]).unwrap().is_none());
        let none = [(ENDPOINT, "http://a"), ("OTEL_TRACES_EXPORTER", "none")];
        assert!(read(&none).unwrap().is_none());
    }

    #[test]
    fn the_own_timeout_takes_precedence() {
        let general = (("OTEL_EXPORTER_OTLP_TIMEOUT"), "20");
        let own = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "30");
        for (variables, expected) in [
            (&[(ENDPOINT, "http://a")][..], 10_000),
            (&[(ENDPOINT, "http://a"), general], 20),
            (&[(ENDPOINT, "http://a"), general, own], 30),
        ] {
            let timeout = read(variables).unwrap().unwrap().timeout;
            assert_eq!(timeout, Duration::from_millis(expected));
        }
    }

    #[test]
    fn an_unusable_value_is_an_error_that_does_not_repeat_it() {
        for (name, value) in [
            (ENDPOINT, "hunter2"),
            (ENDPOINT, "ftp://hunter2"),
            (ENDPOINT, "http://hunter2:x"),
            (ENDPOINT, "http://user:hunter2@a"),
            (OWN, "http://"),
            (OWN, "/hunter2"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "0"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "-1"),
            ("OTEL_TRACES_SAMPLER", "jaeger_remote"),
            ("OTEL_TRACES_EXPORTER", "hunter2"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "hunter2"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=b,c d=hunter2"),
            ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=hunter2\nx,"),
        ] {
            let with_endpoint = [(name, value), (ENDPOINT, "http://a")];
            let error = read(&with_endpoint).unwrap_err();
            let text = error.to_string();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(text.starts_with(&format!("cannot use {name}: ")), "{text}");
            assert!(!text.contains("hunter2"), "{text}");
        }
        for ratio in ["1.5", "-0.1", "half", "NaN"] {
            let sampler = ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio");
            let variables = [(ENDPOINT, "http://a"), sampler, ("OTEL_TRACES_SAMPLER_ARG", ratio)];
            assert!(read(&variables).is_err(), "{ratio}");
        }
    }
}
