//! One parameter of an operation, and the requests that give it.

use std::rc::Rc;

use crate::contract::description::{Contract, Operation, Param, Values};
use crate::contract::evidence::Evidence;
use crate::contract::exchange::Exchange;
use crate::encoded::encoded;
use crate::outcome::{Outcome, skip};

/// A parameter of an operation.
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    pub(super) operation: &'static Operation,
    pub(super) param: &'static Param,
}

impl Parameter {
    /// Returns the first parameter of the service that fits, in a query or a form.
    pub(super) fn first(contract: &'static Contract, fits: fn(&Param) -> bool) -> Option<Self> {
        contract.called().filter(|one| !one.is_json()).find_map(|operation| {
            let param = operation.params.iter().find(|param| fits(param))?;
            Some(Self { operation, param })
        })
    }

    /// Returns the name of one of its checks.
    pub(super) fn name(self, suffix: &str) -> String {
        format!("{}_{suffix}", self.param.check)
    }

    /// Asks with the parameter, whose value is encoded already, and with what it needs.
    pub(super) fn with(self, seen: &Evidence<'_>, value: &str) -> Rc<Exchange> {
        let around = seen.query_around(self.operation, self.param);
        seen.get(&format!("{around}&{}={value}", encoded(self.param.name)))
    }

    /// Asks with a value that the service accepts, and with what the parameter needs.
    pub(super) fn with_sample(self, seen: &Evidence<'_>) -> Rc<Exchange> {
        self.with(seen, &encoded(&seen.value(self.param)))
    }

    /// Asks with a value that the service accepts, without what the parameter needs.
    pub(super) fn without_needs(self, seen: &Evidence<'_>) -> Rc<Exchange> {
        let query = seen.query(self.operation);
        seen.get(&format!("{query}{}", seen.given(self.param)))
    }

    /// Returns the sample in upper case, if that is another value.
    pub(super) fn sample_in_upper_case(self) -> Option<String> {
        let upper = self.param.sample.to_uppercase();
        let is_other = self.param.values == Values::Text && upper != self.param.sample;
        is_other.then_some(upper)
    }

    /// Returns the sample with its first byte percent-encoded, if the client sends that byte as it is.
    pub(super) fn sample_with_encoded_letter(self) -> Option<String> {
        let first = self.param.sample.bytes().next().filter(u8::is_ascii_alphanumeric)?;
        Some(format!("%{first:02X}{}", encoded(self.param.sample.get(1..)?)))
    }
}

/// Skips a check if the service refuses a value that it may not have.
pub(super) fn unknown(exchange: &Exchange, operation: &Operation, param: &Param) -> Outcome {
    let status = exchange.response()?.status;
    let is_refused = (400..500).contains(&status)
        || (status == 200 && exchange.is_refused(Some(operation)).is_ok());
    if is_refused {
        return skip(format!("the service may not have the value of `{}`", param.name));
    }
    Ok(())
}
