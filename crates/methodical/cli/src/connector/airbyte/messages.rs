//! The messages of a source: one JSON object on each line.

use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::connector::bookmark::Bookmark;
use crate::connector::row::Row;
use crate::connector::stream::Stream;
use crate::connector::stream_reader::Receiver;
use crate::exit::Exit;
use crate::failure::Failure;

/// A message.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Message<'a> {
    Spec {
        spec: Specification<'a>,
    },
    ConnectionStatus {
        #[serde(rename = "connectionStatus")]
        connection_status: ConnectionStatus,
    },
    Catalog {
        catalog: Value,
    },
    Record {
        record: Record<'a>,
    },
    State {
        state: State<'a>,
    },
    Trace {
        trace: Trace<'a>,
    },
    Log {
        log: Log<'a>,
    },
}

/// The specification of the configuration.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Specification<'a> {
    connection_specification: &'a Value,
    supports_incremental: bool,
    #[serde(rename = "protocol_version")]
    protocol_version: &'a str,
}

/// Whether a configuration works.
#[derive(Serialize)]
pub(crate) struct ConnectionStatus {
    pub(crate) status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Status {
    Succeeded,
    Failed,
}

/// A record of a stream.
#[derive(Serialize)]
pub(crate) struct Record<'a> {
    stream: &'a str,
    data: Data<'a>,
    emitted_at: i64,
}

/// The fields of a record.
struct Data<'a> {
    row: &'a Row,
    stream: &'a Stream,
    number: i64,
}

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        self.row.write(&self.stream.properties, |_| true, &mut object)?;
        if self.stream.has_deletions() {
            object.serialize_entry(DELETED_AT, &self.row.deleted_at)?;
            object.serialize_entry(CURSOR, &self.number)?;
        }
        object.end()
    }
}

/// The state of a stream.
#[derive(Serialize)]
pub(crate) struct State<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    stream: StreamState<'a>,
    #[serde(rename = "sourceStats")]
    source_stats: Counts,
}

#[derive(Serialize)]
struct StreamState<'a> {
    stream_descriptor: Descriptor<'a>,
    stream_state: &'a Bookmark,
}

#[derive(Clone, Copy, Serialize)]
struct Descriptor<'a> {
    name: &'a str,
}

/// The number of records since the state before.
#[derive(Serialize)]
struct Counts {
    #[serde(rename = "recordCount")]
    record_count: f64,
}

/// A message about the run.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Trace<'a> {
    StreamStatus { emitted_at: f64, stream_status: StatusOfStream<'a> },
    Error { emitted_at: f64, error: ErrorTrace<'a> },
}

#[derive(Serialize)]
pub(crate) struct StatusOfStream<'a> {
    stream_descriptor: Descriptor<'a>,
    status: StreamStatus,
}

/// The status of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum StreamStatus {
    Started,
    Running,
    Complete,
    Incomplete,
}

#[derive(Serialize)]
pub(crate) struct ErrorTrace<'a> {
    message: &'a str,
    failure_type: FailureType,
}

/// Who can repair a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum FailureType {
    /// A person, in the configuration.
    #[serde(rename = "config_error")]
    Config,
    /// The next run.
    #[serde(rename = "transient_error")]
    Transient,
    /// The developers of the program or the service.
    #[serde(rename = "system_error")]
    System,
}

impl FailureType {
    pub(crate) fn of(exit: Exit) -> Self {
        match exit {
            Exit::Usage | Exit::NotAuthorised | Exit::Braked => Self::Config,
            Exit::Network | Exit::Busy => Self::Transient,
            _ => Self::System,
        }
    }
}

/// A line of the log.
#[derive(Serialize)]
pub(crate) struct Log<'a> {
    level: Level,
    message: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Level {
    Warn,
}

/// Writes messages.
pub(crate) struct Writer<W> {
    pub(crate) out: W,
    clock: fn() -> i64,
    /// The last number of a record. Later records have larger ones, also in later runs.
    number: i64,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(out: W) -> Self {
        Self::with_clock(out, now)
    }

    pub(crate) fn with_clock(out: W, clock: fn() -> i64) -> Self {
        Self { out, clock, number: clock().saturating_mul(NUMBERS_PER_MILLISECOND) }
    }

    /// Writes a message, so that its reader has it.
    pub(crate) fn write(&mut self, message: &Message<'_>) -> Result<(), Failure> {
        self.append(message)?;
        Ok(self.out.flush()?)
    }

    fn append(&mut self, message: &Message<'_>) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.out, message).map_err(io::Error::from)?;
        Ok(self.out.write_all(b"\n")?)
    }

    pub(crate) fn spec(&mut self, connection_specification: &Value) -> Result<(), Failure> {
        let spec = Specification {
            connection_specification,
            supports_incremental: true,
            protocol_version: PROTOCOL,
        };
        self.write(&Message::Spec { spec })
    }

    /// Writes why the run failed.
    pub(crate) fn error(&mut self, failure: &Failure) -> Result<(), Failure> {
        let (message, failure_type) = (failure.text(), FailureType::of(failure.exit()));
        let error = ErrorTrace { message: &message, failure_type };
        let emitted_at = self.emitted_at();
        self.write(&Message::Trace { trace: Trace::Error { emitted_at, error } })
    }

    /// Begins a stream.
    pub(crate) fn begin<'a>(
        &'a mut self,
        stream: &'a Stream,
    ) -> Result<StreamWriter<'a, W>, Failure> {
        let mut writer = StreamWriter { writer: self, stream, count: 0, is_running: false };
        writer.status(StreamStatus::Started)?;
        Ok(writer)
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::as_conversions,
        reason = "milliseconds since 1970 fit into 53 bits"
    )]
    fn emitted_at(&self) -> f64 {
        (self.clock)() as f64
    }
}

/// Writes the messages of a stream.
pub(crate) struct StreamWriter<'a, W> {
    writer: &'a mut Writer<W>,
    stream: &'a Stream,
    /// The number of records since the last state.
    count: u32,
    is_running: bool,
}

impl<W: Write> StreamWriter<'_, W> {
    pub(crate) fn status(&mut self, status: StreamStatus) -> Result<(), Failure> {
        let stream_descriptor = Descriptor { name: &self.stream.name };
        let stream_status = StatusOfStream { stream_descriptor, status };
        let emitted_at = self.writer.emitted_at();
        let trace = Trace::StreamStatus { emitted_at, stream_status };
        self.writer.write(&Message::Trace { trace })
    }

    pub(crate) fn log(&mut self, level: Level, message: &str) -> Result<(), Failure> {
        self.writer.write(&Message::Log { log: Log { level, message } })
    }
}

impl<W: Write> Receiver for StreamWriter<'_, W> {
    fn row(&mut self, row: &Row, _version: Option<i64>) -> Result<(), Failure> {
        if !self.is_running {
            self.is_running = true;
            self.status(StreamStatus::Running)?;
        }
        self.count = self.count.saturating_add(1);
        self.writer.number = self.writer.number.saturating_add(1);
        let data = Data { row, stream: self.stream, number: self.writer.number };
        let emitted_at = (self.writer.clock)();
        let record = Record { stream: &self.stream.name, data, emitted_at };
        self.writer.append(&Message::Record { record })
    }

    fn bookmark(&mut self, bookmark: &Bookmark) -> Result<(), Failure> {
        let stream_descriptor = Descriptor { name: &self.stream.name };
        let stream = StreamState { stream_descriptor, stream_state: bookmark };
        let source_stats = Counts { record_count: self.count.into() };
        self.count = 0;
        let state = State { kind: "STREAM", stream, source_stats };
        self.writer.write(&Message::State { state })
    }

    fn complete(&mut self, _version: Option<i64>) -> Result<(), Failure> {
        Ok(())
    }
}

/// Returns the time in milliseconds since 1970.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

/// Name of the property with the time of deletion, as destinations know it.
pub(crate) const DELETED_AT: &str = "_ab_cdc_deleted_at";

/// Name of the property with a number that is larger for later states of a record.
pub(crate) const CURSOR: &str = "_ab_cdc_cursor";

/// Version of the protocol.
const PROTOCOL: &str = "0.3.2";

/// Maximum number of records per millisecond, so that the numbers of two runs do not overlap.
const NUMBERS_PER_MILLISECOND: i64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::{ConnectionStatus, FailureType, Level, Message, Status, StreamStatus, Writer};
    use crate::connector::airbyte::catalog::discovered;
    use crate::connector::config::config_schema;
    use crate::connector::stream::Stream;
    use crate::connector::stream_reader::{Plan, read};
    use crate::connector::testing::{PHOTO, mirror, stable, sync};
    use crate::exit::Exit;
    use crate::failure::Failure;

    fn writer() -> Writer<Vec<u8>> {
        Writer::with_clock(Vec::new(), || 1_767_225_600_000)
    }

    #[test]
    fn the_messages_of_a_stream() {
        let mut mirror = mirror();
        sync(&mut mirror, &[r#"{"id":"1","title":"Harbour","size":1}"#, r#"{"id":"2"}"#]);
        let stream = Stream::of_table(&PHOTO);
        let mut out = writer();
        let mut receiver = out.begin(&stream).unwrap();
        let plan = Plan { after: None, is_full: false, layout: "l".to_owned(), version: Some(3) };
        read(&mirror, &stream, plan, &mut receiver).unwrap();
        receiver.status(StreamStatus::Complete).unwrap();
        insta::assert_snapshot!(stable(&out.out));
    }

    #[test]
    fn the_other_messages() {
        let mut out = writer();
        out.spec(&config_schema()).unwrap();
        let failed = ConnectionStatus { status: Status::Failed, message: Some("no".to_owned()) };
        for connection_status in
            [ConnectionStatus { status: Status::Succeeded, message: None }, failed]
        {
            out.write(&Message::ConnectionStatus { connection_status }).unwrap();
        }
        let streams = [Stream::of_table(&PHOTO)];
        out.write(&discovered(&streams)).unwrap();
        out.begin(&streams[0]).unwrap().log(Level::Warn, "later").unwrap();
        out.error(&Failure::usage("cannot read").because("cause").hint("hint")).unwrap();
        insta::assert_snapshot!(stable(&out.out));
    }

    #[test]
    fn a_failure_says_who_can_repair_it() {
        for (exit, expected) in [
            (Exit::Usage, FailureType::Config),
            (Exit::NotAuthorised, FailureType::Config),
            (Exit::Network, FailureType::Transient),
            (Exit::Contract, FailureType::System),
        ] {
            assert_eq!(FailureType::of(exit), expected);
        }
    }
}
