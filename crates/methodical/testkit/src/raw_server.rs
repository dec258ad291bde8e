//! A scripted server that sends any bytes, well-formed HTTP or not.
//!
//! Other test servers answer with well-formed HTTP. Most of what breaks a client in production is not well-formed: an
//! endless head, a truncated body, a reset in the middle, one byte at a time. A script is a function that is called for
//! each request and writes any bytes at any time.
//!
//! The server listens on a free port of 127.0.0.1 and needs no runtime. Dropping it closes all its connections. Tests
//! need no sleeps: [`RawServer::wait_until`] waits until the server has seen something.
//!
//! # Examples
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//!
//! use methodical_testkit::raw_server::{Next, RawServer};
//!
//! # fn main() -> std::io::Result<()> {
//! let server = RawServer::start(|request, connection| {
//!     assert_eq!(request.target(), "/cut");
//!     connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
//!     Next::Close
//! })?;
//!
//! let mut client = TcpStream::connect(server.address())?;
//! client.write_all(b"GET /cut HTTP/1.1\r\n\r\n")?;
//! let mut response = String::new();
//! client.read_to_string(&mut response)?;
//! assert!(response.ends_with("abc"));
//! assert_eq!(server.progress().requests.len(), 1);
//! # Ok(())
//! # }
//! ```

mod connection;
mod progress;
mod request;
mod server;

pub use self::connection::{Connection, Next};
pub use self::progress::Progress;
pub use self::request::RawRequest;
pub use self::server::RawServer;
