//! An operation with parameters from the command line.

use std::marker::PhantomData;

use gateway_client_core::model::{
    Error, ErrorClass, ListOperation, Listing, Operation, Query, RawQuery, Record, StreamDecoder,
};

/// The parameters of an operation, as text by their names on the wire; the value is `None` if the flag was not given.
pub type Parameters = Vec<(&'static str, Option<String>)>;

/// An operation whose parameters come from the command line.
///
/// The command line parser has checked that no parameter lacks another one that it needs.
pub(crate) struct CliOperation<O: Operation> {
    query: RawQuery<O::Service>,
    operation: PhantomData<fn() -> O>,
}

impl<O: Operation> CliOperation<O> {
    /// Creates an operation with the parameters that have a value.
    pub(crate) fn new(parameters: Parameters) -> Self {
        let given = parameters.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let query =
            given.fold(RawQuery::new(O::METHOD), |query, (name, value)| query.pair(name, value));
        Self { query, operation: PhantomData }
    }
}

impl<O: Operation> Operation for CliOperation<O> {
    type Service = O::Service;
    type Output = O::Output;

    const NAME: &'static str = O::NAME;
    const METHOD: &'static str = O::METHOD;

    fn query(&self) -> Result<Query, Error> {
        self.query.query()
    }

    fn decode(body: &[u8]) -> Result<Self::Output, Error> {
        O::decode(body)
    }

    fn error_class(body: &[u8]) -> Option<ErrorClass> {
        O::error_class(body)
    }
}

impl<O: ListOperation> ListOperation for CliOperation<O> {
    type Item = O::Item;
    type Beside = O::Beside;

    fn decoder() -> StreamDecoder<O::Item, O::Beside> {
        O::decoder()
    }

    fn decode_borrowed(
        body: &[u8],
    ) -> Result<Listing<<O::Item as Record>::Ref<'_>, O::Beside>, Error> {
        O::decode_borrowed(body)
    }
}
