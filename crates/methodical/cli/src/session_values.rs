//! Prints responses that are not records: values, lists and maps of values, and responses without data.

use methodical_client::model::{Operation, Service};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::printer::Printer;
use crate::output::schema::Schema;
use crate::record_type::RecordType;
use crate::session::Session;

impl<S: Service> Session<S> {
    /// Requests a single value, such as a text or a number, and prints it. A table and CSV have the column `value`.
    ///
    /// # Errors
    ///
    /// Fails if a flag does not fit a value, the call fails, or the output cannot be written.
    ///
    /// ```
    /// use methodical_cli::client::model::{Operation, Service};
    /// use methodical_cli::{Failure, Session};
    ///
    /// fn count<S: Service, O>(session: &Session<S>, photos: &O) -> Result<(), Failure>
    /// where
    ///     O: Operation<Service = S, Output = i64>,
    /// {
    ///     session.value(photos)
    /// }
    /// ```
    pub fn value<O>(&self, operation: &O) -> Result<(), Failure>
    where
        O: Operation<Service = S, Output: Serialize>,
    {
        self.object(operation, VALUE)
    }

    /// Requests a list of values and prints it as [`list`](Self::list) prints records. A table and CSV have the column
    /// `value`.
    ///
    /// # Errors
    ///
    /// Fails if a flag does not fit the values, the call fails, or the output cannot be written.
    ///
    /// ```
    /// use methodical_cli::client::model::{Operation, Service};
    /// use methodical_cli::{Failure, Session};
    ///
    /// fn ids<S: Service, O>(session: &Session<S>, photos: &O) -> Result<(), Failure>
    /// where
    ///     O: Operation<Service = S, Output = Vec<i64>>,
    /// {
    ///     session.values(photos)
    /// }
    /// ```
    pub fn values<O>(&self, operation: &O) -> Result<(), Failure>
    where
        O: Operation<Service = S, Output: IntoIterator<Item: Serialize>>,
    {
        if self.print_dry_run(operation)? || self.print_raw(operation)? {
            return Ok(());
        }
        let schema = Schema::of_operation(VALUE, false);
        let mut printer = Printer::open(&self.invocation, &schema)?;
        for value in self.received(operation)? {
            printer.print(&value)?;
        }
        self.close(printer)
    }

    /// Requests a map and prints it: as one object in JSON, and in other formats as a list with the fields `key` and
    /// `value`. A selection of fields or entries makes it such a list in JSON, too.
    ///
    /// # Errors
    ///
    /// Fails if a flag does not fit the entries, the call fails, or the output cannot be written.
    ///
    /// ```
    /// use methodical_cli::client::model::{Map, Operation, Service};
    /// use methodical_cli::{Failure, Session};
    ///
    /// fn prices<S: Service, O>(session: &Session<S>, photos: &O) -> Result<(), Failure>
    /// where
    ///     O: Operation<Service = S, Output = Map<i64>>,
    /// {
    ///     session.entries(photos)
    /// }
    /// ```
    pub fn entries<O, K, V>(&self, operation: &O) -> Result<(), Failure>
    where
        O: Operation<Service = S, Output: IntoIterator<Item = (K, V)> + Serialize>,
        K: Serialize,
        V: Serialize,
    {
        if self.print_dry_run(operation)? || self.print_raw(operation)? {
            return Ok(());
        }
        let output = &self.invocation.output;
        let is_whole = output.fields.is_none() && output.choice().is_none();
        let schema = Schema::of_operation(ENTRY, is_whole);
        let mut printer = Printer::open(&self.invocation, &schema)?;
        let entries = self.received(operation)?;
        if is_whole && printer.is_json() {
            printer.print(&entries)?;
        } else {
            for (key, value) in entries {
                printer.print(&Entry { key, value })?;
            }
        }
        self.close(printer)
    }

    /// Sends a request whose response has no data, and prints nothing. `-o raw` prints the response.
    ///
    /// # Errors
    ///
    /// Fails if a flag selects fields or records, or the call fails.
    ///
    /// ```
    /// use methodical_cli::client::model::{Operation, Service};
    /// use methodical_cli::{Failure, Session};
    ///
    /// fn delete<S: Service, O>(session: &Session<S>, photo: &O) -> Result<(), Failure>
    /// where
    ///     O: Operation<Service = S, Output = ()>,
    /// {
    ///     session.nothing(photo)
    /// }
    /// ```
    pub fn nothing<O>(&self, operation: &O) -> Result<(), Failure>
    where
        O: Operation<Service = S, Output = ()>,
    {
        if self.print_dry_run(operation)? || self.print_raw(operation)? {
            return Ok(());
        }
        self.invocation.output.refuse_selection("the response has no data")?;
        self.received(operation)
    }

    fn received<O: Operation<Service = S>>(&self, operation: &O) -> Result<O::Output, Failure> {
        self.client.send(operation).map_err(|error| self.explain(&error))
    }
}

/// An entry of a map as a record.
#[derive(Debug, Serialize)]
struct Entry<K, V> {
    key: K,
    value: V,
}

const VALUE: RecordType<'_> = RecordType::new(&["value"], &["value"]).named("value", "values");
const ENTRY: RecordType<'_> =
    RecordType::new(&["key", "value"], &["key", "value"]).named("entry", "entries");
