//! Scripts, and playing them on a connection.

use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::raw_server::connection::Connection;
use crate::raw_server::progress::Shared;
use crate::raw_server::request::RawRequest;
use crate::raw_server::stream::Wrap;

/// A script: called for each request, on the thread of the connection.
pub(super) type Script = dyn Fn(&RawRequest, &mut Connection) -> Next + Send + Sync;

/// What happens to a connection after the script has run.
#[expect(clippy::exhaustive_enums, reason = "a connection cannot end in any other way")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The server reads the next request.
    KeepAlive,
    /// The server closes the connection gracefully (FIN).
    Close,
    /// The server resets the connection (RST). The peer loses the bytes that it has not read yet.
    Reset,
}

/// Reads requests from `stream` and runs `script` for each, until the script or the peer ends the connection.
pub(super) fn serve(
    stream: TcpStream,
    number: usize,
    wrap: &Wrap,
    shared: &Arc<Shared>,
    script: &Script,
) {
    // A handshake fails when the peer refuses the certificate.
    let Ok(stream) = wrap.wrap(stream) else { return };
    let mut connection = Connection::new(stream, Arc::clone(shared));
    let mut pending = Vec::new();
    while let Ok(Some(mut request)) = RawRequest::read(&mut connection.stream, &mut pending, number)
    {
        request.server_name = connection.stream.server_name();
        shared.update(|progress| {
            progress.requests.push(request.clone());
            progress.playing += 1;
            progress.most_playing = progress.most_playing.max(progress.playing);
        });
        let playing = Playing(shared);
        let next = script(&request, &mut connection);
        drop(playing);
        match next {
            Next::KeepAlive => {}
            Next::Close => {
                connection.stream.close_notify();
                drop(connection.stream.socket().shutdown(Shutdown::Both));
                return;
            }
            Next::Reset => {
                // Drop the handle for `Shared::stop` first: it would keep the socket open.
                shared.forget(number);
                let socket = socket2::SockRef::from(connection.stream.socket());
                drop(socket.set_linger(Some(Duration::ZERO)));
                return;
            }
        }
    }
}

/// A guard that counts a script as ended when it returns or panics.
struct Playing<'a>(&'a Shared);

impl Drop for Playing<'_> {
    fn drop(&mut self) {
        self.0.update(|progress| {
            progress.playing -= 1;
            progress.panicked += usize::from(thread::panicking());
        });
    }
}
