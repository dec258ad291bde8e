//! Reads the amount of a gauge.

use methodical_client::blocking;
use methodical_model::{Gauge, Operation, Service};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::gauge::amount;
use crate::gauge::sample::Sample;
use crate::sync::budget::Budget;

/// A gauge that can be read.
pub(crate) trait Measure<S>: Send + Sync {
    fn gauge(&self) -> Gauge;

    fn measure(
        &self,
        client: &blocking::Client<S>,
        at: i64,
        budget: &Budget,
    ) -> Result<Sample, Error>;
}

/// A gauge, and the operation that returns its amount.
pub(crate) struct Measured<O> {
    pub(crate) gauge: Gauge,
    pub(crate) query: O,
}

impl<S, O> Measure<S> for Measured<O>
where
    S: Service,
    O: Operation<Service = S, Output: Serialize> + Send + Sync,
{
    fn gauge(&self) -> Gauge {
        self.gauge
    }

    fn measure(
        &self,
        client: &blocking::Client<S>,
        at: i64,
        budget: &Budget,
    ) -> Result<Sample, Error> {
        budget.take();
        let json = client.send(&self.query).map(|output| serde_json::to_string(&output));
        sample(self.gauge, at, json)
    }
}

/// Reads the sample from the response.
fn sample(
    gauge: Gauge,
    at: i64,
    json: Result<serde_json::Result<String>, methodical_client::Error>,
) -> Result<Sample, Error> {
    let name = gauge.name();
    let json = json.map_err(|error| {
        let text = format!("cannot read `{name}`: {error}");
        Error::new(ErrorKind::Call, text).because(error)
    })?;
    let json = json.map_err(|error| {
        let text = format!("cannot read `{name}`: the response is not JSON");
        Error::new(ErrorKind::Gauge, text).because(error)
    })?;
    let amount = amount::field(&json, gauge.value())?.unwrap_or_default();
    amount::parse(&amount).map_err(|error| {
        let field = gauge.value().join(".");
        let text =
            format!("cannot read `{name}`: `{field}` is not a decimal number of at most 28 digits");
        Error::new(ErrorKind::Gauge, text).because(error)
    })?;
    let unit = match gauge.unit() {
        Some(path) => amount::field(&json, path)?,
        None => None,
    };
    Ok(Sample { at, gauge: name.to_owned(), amount, unit })
}
