//! The first half of an import: it copies the records into temporary tables.
//!
//! One thread reads and renders the records, another one sends them in the binary format of `COPY`, so that the program
//! and the database work at the same time. The memory of the batches is bounded.

use std::io::Write as _;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{io, panic, thread};

use crate::error::{Error, ErrorKind};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::place::Place;
use crate::store::balance::Balance;
use crate::store::dictionary::{Dictionary, StatusKeys};
use crate::store::postgres::link::failure;
use crate::store::postgres::session::{Open, failed};
use crate::store::staged::Staged;
use crate::store::{ApplicationRow, Fill, Stage, rendered};

/// Fills the temporary tables. Returns the facts about the records, and the credit balance, which has no table.
pub(super) fn fill<'t>(
    session: Open<'t>,
    fill: Fill<'_>,
) -> Result<(Open<'t>, Staged, Balance), Error> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING_BATCHES);
        let writer = scope.spawn(move || write(session, &receiver));
        let mut staging = Staging::new(sender);
        let filled = fill(&mut staging).and_then(|()| staging.flush());
        // Closes the queue, which ends the other thread.
        let (staged, balance) = staging.end();
        let written = writer.join().unwrap_or_else(|payload| panic::resume_unwind(payload));
        // Without the other thread, staging fails too, with an error that does not say why.
        let session = written?;
        filled?;
        Ok((session, staged, balance))
    })
}

/// A request of the reading thread to the writing one.
enum Request {
    /// Appends complete rows to a table.
    Copy(&'static str, Vec<u8>),
    /// Finds the key of a status, or adds the status.
    Status { name: String, add: bool, reply: SyncSender<Option<i64>> },
}

fn write<'t>(mut session: Open<'t>, requests: &Receiver<Request>) -> Result<Open<'t>, Error> {
    for request in requests {
        match request {
            Request::Copy(statement, rows) => {
                let mut writer = session.transaction.copy_in(statement).map_err(failed)?;
                for part in [HEADER, &rows, TRAILER] {
                    writer.write_all(part).map_err(not_sent)?;
                }
                writer.finish().map_err(failed)?;
            }
            Request::Status { name, add, reply } => {
                let key = if add { Some(session.add(&name)?) } else { session.find(&name)? };
                if reply.send(key).is_err() {
                    break;
                }
            }
        }
    }
    Ok(session)
}

/// Translates an error of the driver that a writer of the standard library passes on.
fn not_sent(error: io::Error) -> Error {
    let context = "cannot import";
    match error.downcast::<::postgres::Error>() {
        Ok(error) => failure(context, error),
        Err(error) => Error::caused(ErrorKind::Storage, context, error),
    }
}

/// Renders records, and passes them on in batches.
struct Staging {
    keys: StatusKeys,
    statuses: Statuses,
    record: Vec<u8>,
    vacancies: Rows,
    candidates: Rows,
    applications: Rows,
    staged: Staged,
    /// The number of records, which is also the number of the last one.
    number: i64,
    balance: Balance,
}

impl Staging {
    fn new(requests: SyncSender<Request>) -> Self {
        Self {
            keys: StatusKeys::default(),
            statuses: Statuses(requests),
            record: Vec::new(),
            vacancies: Rows::new(COPY_VACANCIES),
            candidates: Rows::new(COPY_CANDIDATES),
            applications: Rows::new(COPY_APPLICATIONS),
            staged: Staged::default(),
            number: 0,
            balance: Balance::default(),
        }
    }

    fn end(self) -> (Staged, Balance) {
        (self.staged, self.balance)
    }

    fn flush(&mut self) -> Result<(), Error> {
        for rows in [&mut self.vacancies, &mut self.candidates, &mut self.applications] {
            rows.flush(&self.statuses.0)?;
        }
        Ok(())
    }
}

impl Stage for Staging {
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error> {
        let record = rendered::vacancy(id, row, &mut self.record)?;
        self.staged.vacancies.push((id, 0));
        self.number += 1;
        self.vacancies.push([self.number, place.pack(), id], Some(record));
        self.vacancies.flush_if_full(&self.statuses.0)
    }

    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error> {
        let record = rendered::candidate(id, row, &mut self.record)?;
        self.staged.candidates.push((id, 0));
        self.number += 1;
        self.candidates.push([self.number, place.pack(), id], Some(record));
        self.candidates.flush_if_full(&self.statuses.0)
    }

    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let ApplicationRow { vacancy_id, candidate_id, status } = *row;
        let status = self.keys.get(&mut self.statuses, status)?;
        self.staged.applications.push((vacancy_id, candidate_id));
        self.number += 1;
        let numbers = [self.number, place.pack(), vacancy_id, candidate_id, status];
        self.applications.push(numbers, None);
        self.applications.flush_if_full(&self.statuses.0)
    }

    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        self.balance.take(place, row)
    }
}

/// The statuses of the account, on the other thread.
struct Statuses(SyncSender<Request>);

impl Statuses {
    fn ask(&self, name: &str, add: bool) -> Result<Option<i64>, Error> {
        let (reply, answer) = sync_channel(1);
        let request = Request::Status { name: name.to_owned(), add, reply };
        self.0.send(request).map_err(|_error| stopped())?;
        answer.recv().map_err(|_error| stopped())
    }
}

impl Dictionary for Statuses {
    fn find(&mut self, name: &str) -> Result<Option<i64>, Error> {
        self.ask(name, false)
    }

    fn add(&mut self, name: &str) -> Result<i64, Error> {
        self.ask(name, true)?.ok_or_else(stopped)
    }
}

/// The error of the reading thread after the writing one has failed, which reports the cause.
fn stopped() -> Error {
    Error::new(ErrorKind::Storage, "cannot import")
}

/// Rows of one table, in the binary format of `COPY`.
struct Rows {
    statement: &'static str,
    bytes: Vec<u8>,
}

impl Rows {
    const fn new(statement: &'static str) -> Self {
        Self { statement, bytes: Vec::new() }
    }

    /// Appends a row: numbers, and the record if the table has one.
    fn push<const NUMBERS: usize>(&mut self, numbers: [i64; NUMBERS], record: Option<&str>) {
        let columns = i16::try_from(NUMBERS + usize::from(record.is_some())).unwrap_or(i16::MAX);
        self.bytes.extend_from_slice(&columns.to_be_bytes());
        for number in numbers {
            self.column(&number.to_be_bytes());
        }
        if let Some(record) = record {
            self.column(record.as_bytes());
        }
    }

    fn column(&mut self, value: &[u8]) {
        // A record is at most as large as clients read.
        self.bytes.extend_from_slice(&i32::try_from(value.len()).unwrap_or(i32::MAX).to_be_bytes());
        self.bytes.extend_from_slice(value);
    }

    fn flush_if_full(&mut self, requests: &SyncSender<Request>) -> Result<(), Error> {
        if self.bytes.len() >= BATCH { self.flush(requests) } else { Ok(()) }
    }

    fn flush(&mut self, requests: &SyncSender<Request>) -> Result<(), Error> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let rows = std::mem::replace(&mut self.bytes, Vec::with_capacity(BATCH));
        requests.send(Request::Copy(self.statement, rows)).map_err(|_error| stopped())
    }
}

/// Size at which a batch is passed on, in bytes.
const BATCH: usize = 1024 * 1024;

/// Maximum number of batches that wait for the database.
const WAITING_BATCHES: usize = 4;

/// The signature of the binary format, no flags, and no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// The number of columns that ends the rows.
const TRAILER: &[u8] = &(-1_i16).to_be_bytes();

const COPY_VACANCIES: &str =
    "COPY staged_vacancy(seq, place, id, record) FROM STDIN (FORMAT binary)";

const COPY_CANDIDATES: &str =
    "COPY staged_candidate(seq, place, id, record) FROM STDIN (FORMAT binary)";

const COPY_APPLICATIONS: &str = "\
    COPY staged_application(seq, place, vacancy_id, candidate_id, status_key) \
    FROM STDIN (FORMAT binary)";
