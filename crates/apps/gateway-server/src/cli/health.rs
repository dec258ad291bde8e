//! The command `gateway-server health`: a probe for images that contain no other program.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use clap::Args;

use crate::error::{Error, ErrorKind};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Address that `serve` uses as --ops-listen.
    #[arg(long, value_name = "ADDR", env = "GATEWAY_OPS_LISTEN")]
    ops_listen: SocketAddr,
}

/// Succeeds if the server is ready.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    // The system connects to this machine for an unspecified address.
    let address = arguments.ops_listen;
    let response = ask(address).map_err(|error| {
        let context = format!("cannot reach the server on {address}");
        Error::caused(ErrorKind::Io, context, error)
    })?;
    let text = String::from_utf8_lossy(&response);
    if text.starts_with("HTTP/1.1 200 ") {
        return Ok(());
    }
    let reason = text.split_once("\r\n\r\n").map_or("no response", |(_head, body)| body.trim());
    Err(Error::new(ErrorKind::Io, format!("the server on {address} is not ready: {reason}")))
}

/// Returns the first bytes of the response of `/readyz`.
fn ask(address: SocketAddr) -> std::io::Result<Vec<u8>> {
    let mut socket = TcpStream::connect_timeout(&address, TIMEOUT)?;
    socket.set_read_timeout(Some(TIMEOUT))?;
    socket.set_write_timeout(Some(TIMEOUT))?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes())?;
    let mut response = Vec::new();
    socket.take(MAX_RESPONSE).read_to_end(&mut response)?;
    Ok(response)
}

/// Timeout of connecting, and of each read. The server itself takes at most two seconds.
const TIMEOUT: Duration = Duration::from_secs(4);

/// Maximum length of a response, in bytes.
const MAX_RESPONSE: u64 = 4096;
