//! A connection on a separate thread: the driver blocks, which a thread of an async runtime must not do.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use ::postgres::types::{ToSql, Type};
use ::postgres::{Client, Row};
use methodical_postgres::Connector;

use crate::error::{Error, ErrorKind};
use crate::store::postgres::failure::{failed_in, not_connected};

/// The sending side of the thread. Dropping it closes the connection.
pub(crate) struct Link {
    jobs: SyncSender<Job>,
}

type Job = Box<dyn FnOnce(&mut Session) + Send>;

/// The answer to a job.
pub(crate) struct Reply<T>(Receiver<Result<T, Error>>);

impl<T> Reply<T> {
    /// Waits for the job.
    pub(crate) fn wait(self) -> Result<T, Error> {
        self.0.recv().unwrap_or_else(|_ended| Err(ended()))
    }
}

impl Link {
    /// Starts the thread. It connects when the first job needs it.
    pub(crate) fn start(connector: &Connector) -> Result<Self, Error> {
        let (jobs, queue) = sync_channel::<Job>(QUEUED);
        let mut session = Session {
            connector: connector.clone(),
            client: None,
            used: Instant::now(),
            transaction: Transaction::None,
        };
        let work = move || queue.into_iter().for_each(|job| job(&mut session));
        thread::Builder::new().name("methodical-mirror-pg".to_owned()).spawn(work).map_err(
            |error| {
                Error::new(ErrorKind::Io, "cannot start the thread of the database").because(error)
            },
        )?;
        Ok(Self { jobs })
    }

    /// Does a job and waits for it.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Session) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.ask(job)?.wait()
    }

    /// Does a job after the earlier ones.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Session) -> Result<T, Error> + Send + 'static,
    ) -> Result<Reply<T>, Error> {
        let (give, reply) = sync_channel(1);
        let job = move |session: &mut Session| {
            // The answer to a page that was read ahead may not be wanted any more.
            let _unwanted = give.send(session.run(job));
        };
        self.jobs.send(Box::new(job)).map_err(|_ended| ended())?;
        Ok(Reply(reply))
    }

    /// Does a job of a transaction without waiting for it. If it fails, the next answer is its error.
    pub(crate) fn post<T>(
        &self,
        job: impl FnOnce(&mut Session) -> Result<T, Error> + Send + 'static,
    ) -> Result<(), Error> {
        let job = move |session: &mut Session| {
            if let Err(error) = session.run(job) {
                session.transaction = Transaction::Failed(Some(error));
            }
        };
        self.jobs.send(Box::new(job)).map_err(|_ended| ended())
    }

    /// Undoes the transaction. Does nothing outside of one.
    pub(crate) fn roll_back(&self) -> Result<(), Error> {
        let (give, reply) = sync_channel(1);
        let job = move |session: &mut Session| {
            session.roll_back();
            let _unwanted = give.send(Ok(()));
        };
        self.jobs.send(Box::new(job)).map_err(|_ended| ended())?;
        Reply(reply).wait()
    }
}

/// A connection. It is opened again if it was closed outside of a transaction.
pub(crate) struct Session {
    connector: Connector,
    client: Option<Client>,
    used: Instant,
    transaction: Transaction,
}

enum Transaction {
    None,
    Open,
    /// The error of a job that was posted.
    Failed(Option<Error>),
}

/// A parameter and its type.
pub(crate) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

impl Session {
    fn run<T>(&mut self, job: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if let Transaction::Failed(error) = &mut self.transaction {
            return Err(error.take().unwrap_or_else(ended));
        }
        let result = self.connect().and_then(|()| job(self));
        self.used = Instant::now();
        if result.is_err() && matches!(self.transaction, Transaction::Open) {
            self.transaction = Transaction::Failed(None);
        }
        result
    }

    /// Opens the connection, unless it is open or belongs to a transaction.
    fn connect(&mut self) -> Result<(), Error> {
        if matches!(self.transaction, Transaction::None) {
            let is_usable = self.client.as_mut().is_some_and(|client| {
                !client.is_closed()
                    && (self.used.elapsed() < IDLE || client.is_valid(TIMEOUT).is_ok())
            });
            if !is_usable {
                self.client = Some(self.connector.open(TIMEOUT).map_err(not_connected)?);
            }
        }
        Ok(())
    }

    pub(crate) fn client(&mut self) -> Result<&mut Client, Error> {
        self.client.as_mut().ok_or_else(ended)
    }

    /// Runs a statement. It is not prepared by name, which a pooler may not support.
    pub(crate) fn query(
        &mut self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Error> {
        self.client()?.query_typed(sql, parameters).map_err(|error| failed_in(sql, error))
    }

    /// Runs a statement, and returns how many rows it wrote.
    pub(crate) fn execute(
        &mut self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<u64, Error> {
        self.client()?.execute_typed(sql, parameters).map_err(|error| failed_in(sql, error))
    }

    /// Runs statements without parameters.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.client()?.batch_execute(sql).map_err(|error| failed_in(sql, error))
    }

    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        // The list may arrive slowly, and a reader may keep a table from being altered.
        self.batch(
            "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '10s'",
        )?;
        self.transaction = Transaction::Open;
        Ok(())
    }

    /// Begins a transaction that sees one state of the database.
    pub(crate) fn begin_reading(&mut self) -> Result<(), Error> {
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")?;
        self.transaction = Transaction::Open;
        Ok(())
    }

    /// Begins a transaction that reads few rows in the order of an index. Without statistics, the planner takes each condition
    /// for so rare that it would read all rows and sort them.
    pub(crate) fn begin_in_order(&mut self) -> Result<(), Error> {
        self.batch(
            "BEGIN READ ONLY; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; \
             SET LOCAL enable_sort = off; SET LOCAL jit = off",
        )?;
        self.transaction = Transaction::Open;
        Ok(())
    }

    pub(crate) fn commit(&mut self) -> Result<(), Error> {
        // After an error, PostgreSQL would answer COMMIT with a success and roll back.
        self.batch("COMMIT")?;
        self.transaction = Transaction::None;
        Ok(())
    }

    /// Undoes the transaction. A connection that fails is closed, which undoes it, too.
    pub(crate) fn roll_back(&mut self) {
        if matches!(self.transaction, Transaction::None) {
            return;
        }
        if self.batch("ROLLBACK").is_err() {
            self.client = None;
        }
        self.transaction = Transaction::None;
    }
}

#[cold]
fn ended() -> Error {
    Error::new(ErrorKind::Store, "the transaction of the mirror has failed; nothing was committed")
}

/// Number of jobs that may wait.
const QUEUED: usize = 4;

/// Idle time after which a connection is checked before it is used.
const IDLE: Duration = Duration::from_secs(5);

/// Timeout of a connection whose peer is silent.
const TIMEOUT: Duration = Duration::from_secs(30);
