//! Calls the service and prints the response, as the flags say.

use std::fmt;
use std::io::Write as _;
use std::sync::Arc;

use methodical_client::model::{ListOperation, Operation, PagedOperation, Service};
use methodical_client::transport::{BlockingBody, BlockingTransport};
use methodical_client::{Entry, Error, StreamingResponse, blocking};
use serde::Serialize;

use crate::config::settings::Settings;
use crate::connect::{connect, connect_to_none, transport};
use crate::dry_run::curl;
use crate::entries::Entries;
use crate::explain::{Context, SAME_COMMAND, explain};
use crate::failure::Failure;
use crate::interrupt::Unfinished;
use crate::invocation::Invocation;
use crate::output::destination::Destination;
use crate::output::format::Format;
use crate::output::printer::Printer;
use crate::output::progress::records as count;
use crate::output::raw::Raw;
use crate::output::schema::Schema;
use crate::paging_flags::PagingFlags;
use crate::record_type::RecordType;
use crate::tally::Tally;
use crate::trace::Trace;

/// One run of a command: a client of the service `S`, with the settings and the flags for its output.
///
/// [`OperationCommands::run`](crate::OperationCommands::run) gets one.
pub struct Session<S> {
    pub(crate) client: blocking::Client<S>,
    pub(crate) settings: Settings,
    pub(crate) invocation: Invocation,
    trace: Option<Trace>,
    /// The sample service of `--demo`. The last field, so that the service stops after the client is dropped.
    _demo: Option<Unfinished>,
}

/// A response whose body is passed on while it arrives.
pub(crate) type RawResponse = StreamingResponse<BlockingBody>;

impl<S: Service> Session<S> {
    /// Creates a client for the service in the settings.
    pub(crate) fn open(invocation: &Invocation) -> Result<Self, Failure> {
        let mut settings = Settings::of_known(invocation)?;
        if invocation.service.from.is_some() {
            let client = connect_to_none(invocation, &mut settings)?;
            let invocation = invocation.clone();
            return Ok(Self { client, settings, invocation, trace: None, _demo: None });
        }
        let (client, demo) = connect(invocation, &mut settings)?;
        let trace = Trace::of(invocation);
        Ok(Self { client, settings, invocation: invocation.clone(), trace, _demo: demo })
    }

    /// Requests a list and prints its records while they arrive.
    ///
    /// With `--dry-run`, prints the request and sends nothing. With `--from`, prints the records of a mirror.
    ///
    /// # Errors
    ///
    /// Fails if a flag does not fit the records, the call fails, the output cannot be written, or a record was skipped.
    ///
    /// ```
    /// use methodical_cli::client::model::{ListOperation, Service};
    /// use methodical_cli::{Failure, RecordType, Session};
    ///
    /// fn list<S: Service, O: ListOperation<Service = S> + 'static>(
    ///     session: &Session<S>,
    ///     photos: &O,
    /// ) -> Result<(), Failure> {
    ///     session.list(photos, RecordType::new(&["id", "title"], &["id", "title", "size"]))
    /// }
    /// ```
    pub fn list<O>(&self, operation: &O, record: RecordType<'_>) -> Result<(), Failure>
    where
        O: ListOperation<Service = S> + 'static,
    {
        #[cfg(feature = "mirror")]
        if let (Some(_), Some(select)) = (&self.invocation.service.from, self.invocation.select) {
            return crate::mirror::list::print(operation, select, record, &self.invocation);
        }
        #[cfg_attr(
            not(feature = "mirror"),
            expect(unused_variables, reason = "only a mirror knows the parameters of lists")
        )]
        let is_empty = self.print_list(operation, record, || {
            let records = self.client.stream(operation).map_err(|error| self.explain(&error))?;
            Ok(match self.record_limit() {
                Some(bytes) => records.record_limit(bytes),
                None => records,
            })
        })?;
        #[cfg(feature = "mirror")]
        if let Some(select) = self.invocation.select.filter(|_| is_empty) {
            crate::mirror::unknown::note(&select(operation), &self.client, &self.invocation);
        }
        Ok(())
    }

    /// Returns the maximum size of a record, in bytes, if the flag sets it.
    fn record_limit(&self) -> Option<usize> {
        self.invocation.service.record_limit.map(|mebibytes| usize::from(mebibytes) << 20)
    }

    /// Requests the pages of a list one by one, and prints the records of all of them as [`list`](Self::list) does.
    ///
    /// `-o raw` prints the response with one page, unchanged.
    ///
    /// # Errors
    ///
    /// The same as those of [`list`](Self::list), and if the pages do not follow the contract.
    ///
    /// ```
    /// use methodical_cli::client::model::{PagedOperation, Service};
    /// use methodical_cli::{Failure, PagingFlags, RecordType, Session};
    ///
    /// fn list<S: Service, O: PagedOperation<Service = S>>(
    ///     session: &Session<S>,
    ///     photos: &O,
    ///     flags: PagingFlags,
    /// ) -> Result<(), Failure> {
    ///     session.list_all(photos, flags, RecordType::new(&["id", "title"], &["id", "title", "size"]))
    /// }
    /// ```
    pub fn list_all<O>(
        &self,
        operation: &O,
        flags: PagingFlags,
        record: RecordType<'_>,
    ) -> Result<(), Failure>
    where
        O: PagedOperation<Service = S>,
    {
        if flags.one_page || self.invocation.service.from.is_some() {
            return self.list(operation, record);
        }
        self.print_list(operation, record, || {
            let records = self.client.stream_all(operation);
            Ok(match self.record_limit() {
                Some(bytes) => records.record_limit(bytes),
                None => records,
            })
        })
        .map(|_is_empty| ())
    }

    /// Prints the records of a list, which `open` requests. Returns whether the list was empty.
    fn print_list<O: Operation<Service = S>, E: Entries>(
        &self,
        operation: &O,
        record: RecordType<'_>,
        open: impl FnOnce() -> Result<E, Failure>,
    ) -> Result<bool, Failure> {
        if self.print_dry_run(operation)? || self.print_raw(operation)? {
            return Ok(false);
        }
        let schema = Schema::of_operation(record, false);
        let mut printer = Printer::open(&self.invocation, &schema)?;
        match open().and_then(|entries| self.print_all(entries, &mut printer)) {
            Ok(tally) => {
                self.close(printer)?;
                tally.check_all()?;
                Ok(tally.is_empty())
            }
            Err(failure) => {
                printer.abort();
                Err(failure)
            }
        }
    }

    /// Prints the records of a list, and counts them. Fails if none of them could be read.
    fn print_all(
        &self,
        mut entries: impl Entries,
        printer: &mut Printer,
    ) -> Result<Tally, Failure> {
        let mut tally = Tally::default();
        // Without the rest of the list, its connection is closed.
        while !printer.is_done() {
            // Records are borrowed from the buffer of the client, so nothing is copied.
            let next = match entries.received(|_, json| printer.print_received(json)) {
                None => {
                    printer.idle()?;
                    entries.next(|_, json| printer.print_received(json))
                }
                received => received,
            };
            let Some(entry) = next else { break };
            match entry.map_err(|error| self.explain(&error))? {
                Entry::Record(done) => {
                    tally.add();
                    done?;
                }
                Entry::Rejected(record) => {
                    tally.skip(&record);
                    printer.skipped(record.index(), record.error());
                }
            }
        }
        tally.check_any().map(|()| tally)
    }

    /// Requests one object and prints it. The arguments are those of [`list`](Self::list).
    ///
    /// # Errors
    ///
    /// Fails if a flag does not fit the object, the call fails, or the output cannot be written.
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// fn totals(session: &Session<Photos>) -> Result<(), Failure> {
    ///     session.object(&GetTotals, RecordType::new(&["photos"], &["photos", "albums"]))
    /// }
    /// ```
    pub fn object<O>(&self, operation: &O, record: RecordType<'_>) -> Result<(), Failure>
    where
        O: Operation<Service = S, Output: Serialize>,
    {
        self.print_object(operation, record, |object| object)
    }

    /// Requests a response and prints an object of it.
    fn print_object<O: Operation<Service = S>, T: Serialize>(
        &self,
        operation: &O,
        record: RecordType<'_>,
        object: impl FnOnce(O::Output) -> T,
    ) -> Result<(), Failure> {
        if self.print_dry_run(operation)? || self.print_raw(operation)? {
            return Ok(());
        }
        let schema = Schema::of_operation(record, true);
        let mut printer = Printer::open(&self.invocation, &schema)?;
        let response = self.client.send(operation).map_err(|error| self.explain(&error))?;
        printer.print(&object(response))?;
        self.close(printer)
    }

    /// Requests a list and prints the fields beside it, as one object. `record` describes this object.
    ///
    /// # Errors
    ///
    /// Fails if a flag does not fit the object, the call fails, or the output cannot be written.
    ///
    /// ```
    /// use methodical_cli::client::model::{ListOperation, Service};
    /// use methodical_cli::{Failure, RecordType, Session};
    /// use serde::Serialize;
    ///
    /// fn totals<S: Service, O>(session: &Session<S>, photos: &O) -> Result<(), Failure>
    /// where
    ///     O: ListOperation<Service = S, Beside: Serialize>,
    /// {
    ///     session.beside(photos, RecordType::new(&["total"], &["page", "total"]))
    /// }
    /// ```
    pub fn beside<O>(&self, operation: &O, record: RecordType<'_>) -> Result<(), Failure>
    where
        O: ListOperation<Service = S, Beside: Serialize>,
    {
        self.print_object(operation, record, |listing| listing.beside)
    }

    /// Completes the output, and logs the number of records with `-v`.
    pub(crate) fn close(&self, printer: Printer) -> Result<(), Failure> {
        let records = printer.printed();
        printer.finish()?;
        if self.trace.is_some() {
            self.invocation.screen.trace(&format!("  printed {}", count(records)));
        }
        Ok(())
    }

    /// Prints the request as a command if this is a dry run. Returns whether it is.
    pub(crate) fn print_dry_run<O: Operation<Service = S>>(
        &self,
        operation: &O,
    ) -> Result<bool, Failure> {
        let Invocation { program, call, service, .. } = &self.invocation;
        if service.from.is_some() {
            return Err(Failure::usage("cannot use --from: this command calls the service"));
        }
        if !call.dry_run {
            return Ok(false);
        }
        let request = self.client.request(operation)?;
        // The output file is for a response, and a dry run has none.
        let mut out = Destination::open(None, program)?;
        writeln!(out, "{}", curl(program.name, S::AUTH, &request))?;
        out.finish()?;
        Ok(true)
    }

    /// Prints the unchanged response if the format is `raw`. Returns whether it is.
    pub(crate) fn print_raw<O: Operation<Service = S>>(
        &self,
        operation: &O,
    ) -> Result<bool, Failure> {
        let output = &self.invocation.output;
        if output.format()? != Some(Format::RAW) {
            return Ok(false);
        }
        output.refuse_selection(RAW)?;
        let response = self.stream_raw(operation)?.error_for_status();
        let mut response = response.map_err(|error| self.explain(&error))?;
        let mut out = Raw::open(&self.invocation)?;
        self.pass_on(&mut response, &mut out)?;
        out.finish()?;
        Ok(true)
    }

    /// Creates a transport for requests that are not sent by the client. It logs with `-v`.
    pub(crate) fn transport(&self) -> Result<Arc<dyn BlockingTransport>, Failure> {
        transport(self.trace, &self.settings)
    }

    /// Requests a response whose body is passed on while it arrives.
    pub(crate) fn stream_raw<O: Operation<Service = S>>(
        &self,
        operation: &O,
    ) -> Result<RawResponse, Failure> {
        self.client.stream_raw(operation).map_err(|error| self.explain(&error))
    }

    /// Writes the body of a response while it arrives.
    pub(crate) fn pass_on(&self, response: &mut RawResponse, out: &mut Raw) -> Result<(), Failure> {
        loop {
            match response.chunk() {
                Ok(Some(piece)) => out.write(&piece)?,
                Ok(None) => return Ok(()),
                Err(error) => {
                    out.abort();
                    return Err(self.explain(&error));
                }
            }
            out.idle();
        }
    }

    /// Returns the failure with which the program ends because of an error.
    pub(crate) fn explain(&self, error: &Error) -> Failure {
        self.explain_with(error, SAME_COMMAND)
    }

    /// Returns the failure because of an error of a call whose response another command prints.
    pub(crate) fn explain_with(&self, error: &Error, raw: &str) -> Failure {
        let Settings { token, base_url, .. } = &self.settings;
        let (token, base_url) = (token.as_ref(), base_url.as_ref());
        explain(error, Context { invocation: &self.invocation, token, base_url, raw })
    }
}

impl<S> fmt::Debug for Session<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The reason why fields and records cannot be selected.
pub(crate) const RAW: &str = "-o raw prints the unchanged response";
