//! The requests to the service, including those that test parameters. Each is sent once; the checks share its response.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use gateway_transport::BlockingTransport;

use crate::contract::description::{Contract, Operation, Param, Values};
use crate::contract::exchange::Exchange;
use crate::contract::record::is_numeric;
use crate::contract::target::Target;
use crate::encoded::encoded;
use crate::outcome::{Outcome, skip};

/// The responses of the service. A request is sent when its response is first needed.
pub(super) struct Evidence<'a> {
    pub(super) contract: &'static Contract,
    target: &'a Target,
    transport: &'a dyn BlockingTransport,
    seen: RefCell<BTreeMap<Ask, Rc<Exchange>>>,
}

/// The parts that differ between requests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ask {
    /// The text after the service's path. If the text contains `?=`, the selector's value follows that.
    pub(super) suffix: String,
    pub(super) is_head: bool,
    pub(super) token: Token,
    pub(super) header: Option<(&'static str, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Token {
    /// The token of the target.
    Valid,
    Missing,
    /// Another value for the `Authorization` header.
    Other(&'static str),
}

impl Ask {
    /// Creates a request with this text after the service's path.
    pub(super) fn suffix(suffix: String) -> Self {
        Self { suffix, is_head: false, token: Token::Valid, header: None }
    }

    /// Creates a request with this query. If the query begins with `=` and the selector's value, the request selects
    /// the operation as the service requires.
    pub(super) fn query(query: &str) -> Self {
        Self::suffix(format!("?{query}"))
    }
}

impl<'a> Evidence<'a> {
    pub(super) fn new(
        contract: &'static Contract,
        target: &'a Target,
        transport: &'a dyn BlockingTransport,
    ) -> Self {
        Self { contract, target, transport, seen: RefCell::default() }
    }

    pub(super) fn requests(&self) -> usize {
        self.seen.borrow().len()
    }

    /// Returns the response to a request. An identical request is not sent again.
    pub(super) fn ask(&self, ask: Ask) -> Rc<Exchange> {
        if let Some(exchange) = self.seen.borrow().get(&ask) {
            return Rc::clone(exchange);
        }
        let exchange = Rc::new(self.send(&ask));
        self.seen.borrow_mut().insert(ask, Rc::clone(&exchange));
        exchange
    }

    fn send(&self, ask: &Ask) -> Exchange {
        let request = self.target.request(self.contract, ask);
        Exchange::send(request, self.transport, self.target.body_limit)
    }

    pub(super) fn get(&self, query: &str) -> Rc<Exchange> {
        self.ask(Ask::query(query))
    }

    /// Sends a query again and returns the new response. The checks still share the first response.
    pub(super) fn get_again(&self, query: &str) -> Exchange {
        self.send(&Ask::query(query))
    }

    /// Returns the response to a call of the operation without its optional parameters.
    pub(super) fn plain(&self, operation: &'static Operation) -> Rc<Exchange> {
        self.get(&self.query(operation))
    }

    /// Returns the response to the call that the general checks use.
    pub(super) fn probe(&self) -> Rc<Exchange> {
        self.get(&self.probe_query())
    }

    /// Returns the response to a query with a method that does not exist.
    pub(super) fn unknown_method(&self) -> Rc<Exchange> {
        self.get(&format!("={UNKNOWN_METHOD}"))
    }

    /// Returns the response to a query without a method.
    pub(super) fn no_method(&self) -> Rc<Exchange> {
        self.get("undefined_parameter=1")
    }

    pub(super) fn no_token(&self) -> Rc<Exchange> {
        self.ask(Ask { token: Token::Missing, ..self.probe_ask() })
    }

    /// Returns the request that the general checks use.
    pub(super) fn probe_ask(&self) -> Ask {
        Ask::query(&self.probe_query())
    }

    /// Returns the query that the general checks use.
    pub(super) fn probe_query(&self) -> String {
        self.probe_query_with(self.contract.probe().map_or("", |probe| probe.select))
    }

    /// Returns the query that the general checks use, with `select` as the method.
    pub(super) fn probe_query_with(&self, select: &str) -> String {
        let params = self.contract.probe().map_or(&[][..], |probe| probe.params);
        self.query_of(select, params.iter().filter(|param| param.required))
    }

    /// Returns the query of an operation without its optional parameters.
    pub(super) fn query(&self, operation: &'static Operation) -> String {
        self.query_of(operation.select, operation.params.iter().filter(|param| param.required))
    }

    /// Returns an operation's query with its required parameters and those that `param` needs, without `param` itself.
    pub(super) fn query_around(
        &self,
        operation: &'static Operation,
        param: &'static Param,
    ) -> String {
        let around = operation.params.iter().filter(|other| {
            let is_needed = other.required || param.needs.contains(&other.name);
            is_needed && other.name != param.name
        });
        self.query_of(operation.select, around)
    }

    fn query_of(&self, select: &str, given: impl Iterator<Item = &'static Param>) -> String {
        given.fold(format!("={select}"), |query, param| query + &self.given(param))
    }

    /// Returns a parameter with a value that the service accepts, such as `&album_id=7`.
    pub(super) fn given(&self, param: &'static Param) -> String {
        format!("&{}={}", encoded(param.name), encoded(&self.value(param)))
    }

    /// Returns a value that the service accepts for a parameter: an existing one, if possible.
    pub(super) fn value(&self, param: &'static Param) -> String {
        self.existing(param).unwrap_or_else(|| param.sample.to_owned())
    }

    /// Returns whether the value that the checks use for a parameter is known to exist.
    pub(super) fn is_known(&self, param: &'static Param) -> bool {
        let is_id = matches!(param.values, Values::NumericId | Values::TextId);
        !is_id || self.existing(param).is_some()
    }

    /// Returns a value for a parameter from one of the service's records.
    fn existing(&self, param: &'static Param) -> Option<String> {
        let (select, field) = param.origin?;
        let operation = self.contract.operation(select).filter(|one| one.is_called())?;
        let is_numeric_only = matches!(param.values, Values::NumericId | Values::Integer);
        let values = self.plain(operation).values(operation, field).unwrap_or_default();
        // A value that is not numeric would change the meaning of the query. Another check reports it.
        values.into_iter().find(
            |value| {
                if is_numeric_only { is_numeric(value) } else { !value.is_empty() }
            },
        )
    }
}

/// A method that no service has.
pub(super) const UNKNOWN_METHOD: &str = "nothing/here";

#[derive(Clone, Copy)]
pub(super) struct Parameter {
    pub(super) operation: &'static Operation,
    pub(super) param: &'static Param,
}

impl Parameter {
    /// Returns the service's first suitable parameter in a query or a form.
    pub(super) fn first(contract: &'static Contract, fits: fn(&Param) -> bool) -> Option<Self> {
        contract.called().filter(|one| !one.is_json()).find_map(|operation| {
            let param = operation.params.iter().find(|param| fits(param))?;
            Some(Self { operation, param })
        })
    }

    /// Returns the name of one of the parameter's checks.
    pub(super) fn name(self, suffix: &str) -> String {
        format!("{}_{suffix}", self.param.check)
    }

    /// Sends the parameter with this encoded value, together with the parameters that it needs.
    pub(super) fn with(self, seen: &Evidence<'_>, value: &str) -> Rc<Exchange> {
        let around = seen.query_around(self.operation, self.param);
        seen.get(&format!("{around}&{}={value}", encoded(self.param.name)))
    }

    /// Sends a value that the service accepts, together with the parameters that this one needs.
    pub(super) fn with_sample(self, seen: &Evidence<'_>) -> Rc<Exchange> {
        self.with(seen, &encoded(&seen.value(self.param)))
    }

    /// Sends a value that the service accepts, without the parameters that this one needs.
    pub(super) fn without_needs(self, seen: &Evidence<'_>) -> Rc<Exchange> {
        let query = seen.query(self.operation);
        seen.get(&format!("{query}{}", seen.given(self.param)))
    }

    /// Returns the sample in upper case, if the parameter is text and the result differs from the sample.
    pub(super) fn sample_in_upper_case(self) -> Option<String> {
        let upper = self.param.sample.to_uppercase();
        let is_other = self.param.values == Values::Text && upper != self.param.sample;
        is_other.then_some(upper)
    }
}

/// Skips the check if the call was refused, because the service may not have the parameter's value.
pub(super) fn unknown(exchange: &Exchange, operation: &Operation, param: &Param) -> Outcome {
    let status = exchange.response()?.status;
    let is_refused = (400..500).contains(&status)
        || (status == 200 && exchange.is_refused(Some(operation)).is_ok());
    if is_refused {
        return skip(format!("the service may not know the value of `{}`", param.name));
    }
    Ok(())
}
