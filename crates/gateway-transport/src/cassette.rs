//! Records exchanges to a cassette and replays them: tests against a real service, without the service.
//!
//! A cassette is text, one JSON object for each line, so that a change of it can be reviewed. It never has credentials
//! in it: request headers and request bodies are not written at all, of the response headers only a few that a client
//! acts on, and the values of query parameters that carry secrets (`access_token`, `client_secret`, …) are replaced.
//! What a service answers **is** written; record against an account with made-up data.
//!
//! The same exchanges give the same bytes: no time, no duration, no order of hashing goes into a cassette.
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
