//! Records exchanges to a cassette and replays them, to test against a real service's responses without the service.
//!
//! A cassette is text with one JSON object on each line, so that changes can be reviewed. It never contains credentials:
//! request headers and request bodies are not recorded, only a few response headers are (those that a client acts on),
//! and the values of query parameters that carry secrets (`access_token`, `client_secret`, …) are replaced. The body of
//! each response **is** recorded: record against an account with made-up data.
//!
//! The same exchanges always produce the same bytes: a cassette contains no time, no duration and no hash order.
//!
//! # Examples
//!
//! ```
//! use gateway_transport::cassette::{Recorder, Replayer};
//! use gateway_transport::{BlockingTransport, MemoryTransport};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let request = http::Request::get("http://host/list?b=2&a=1").body("".into())?;
//!
//! let service = MemoryTransport::new([Ok(http::Response::new("[]".into()))]);
//! let recorder = Recorder::new(service, Vec::new());
//! BlockingTransport::send(&recorder, request.clone())?;
//! let cassette = String::from_utf8(recorder.into_writer())?;
//! assert_eq!(cassette, r#"{"method":"GET","target":"/list?b=2&a=1","status":200,"headers":[],"body":"[]"}
//! "#);
//!
//! let replayer = Replayer::new(&cassette)?;
//! let response = BlockingTransport::send(&replayer, request)?;
//! assert_eq!(response.into_body().collect(10)?, "[]");
//! assert_eq!(replayer.remaining(), 0);
//! # Ok(())
//! # }
//! ```
mod line;
mod record;
mod replay;

pub use self::record::Recorder;
pub use self::replay::Replayer;
