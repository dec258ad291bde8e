//! The limits of an HTTP/2 connection, in one place.

use std::time::Duration;

use h2::server::Builder;

/// Creates the builder of a connection with all limits of this module.
pub(super) fn builder() -> Builder {
    let mut builder = Builder::new();
    builder
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEADER_LIST)
        .header_table_size(HEADER_TABLE)
        .max_frame_size(FRAME)
        .initial_window_size(BODY_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buffer_size(SEND_BUFFER)
        .max_concurrent_reset_streams(REMEMBERED_RESETS)
        .reset_stream_duration(REMEMBERED_FOR)
        .max_pending_accept_reset_streams(PENDING_RESETS)
        .max_local_error_reset_streams(Some(ERROR_RESETS));
    builder
}

/// Maximum number of concurrent requests of a connection. The next stream is refused with `REFUSED_STREAM`.
///
/// Each may be a list that holds two pages in memory. Beyond the first, each also counts as a connection.
pub(super) const STREAMS: u32 = 32;

/// Maximum size of a header list as HTTP/2 counts it, in bytes. Twice the limit of a request head, so that most heads
/// above that limit get a problem document, as in HTTP/1.1; a larger list gets a 431 without one.
pub(super) const HEADER_LIST: u32 = 32 * 1024;

/// Maximum size of the table of header fields that a client may fill, in bytes: the default of RFC 7541.
const HEADER_TABLE: u32 = 4 * 1024;

/// Maximum size of a received frame, in bytes: the smallest that RFC 9113 allows.
const FRAME: u32 = 16 * 1024;

/// Flow-control window of a request, in bytes. No request has a body, so a client may send none.
const BODY_WINDOW: u32 = 0;

/// Flow-control window of received bytes of a connection, in bytes: the smallest that RFC 9113 allows.
const CONNECTION_WINDOW: u32 = 65_535;

/// Maximum number of unsent bytes of a response that the HTTP library holds.
const SEND_BUFFER: usize = 32 * 1024;

/// Maximum number of reset streams that the HTTP library remembers, to ignore frames that were already on their way.
const REMEMBERED_RESETS: usize = 64;

/// Time for which a reset stream is remembered.
const REMEMBERED_FOR: Duration = Duration::from_secs(1);

/// Maximum number of streams that a client has reset before this server saw their requests. The next ends the
/// connection (CVE-2023-44487).
const PENDING_RESETS: usize = 32;

/// Maximum number of streams in one connection that the server resets because of mistakes of the client. The next ends
/// the connection (CVE-2025-8671).
const ERROR_RESETS: usize = 128;

/// Maximum number of responses that a client may reset in one connection, unless it lets more responses end.
pub(super) const RESETS: u64 = 128;

/// Maximum number of frames apart from requests that a connection may receive in advance.
pub(super) const CONTROL_FRAMES: u64 = 1_000;

/// Maximum number of such frames for each request, in addition.
pub(super) const CONTROL_FRAMES_FOR_REQUEST: u64 = 64;

/// Bytes sent for which a client may send one more such frame: it confirms what it has received.
pub(super) const BYTES_FOR_CONTROL_FRAME: u64 = 512;

/// Minimum speed of a client, in bytes a second. A stream whose window is used up has time for what it has received at
/// this speed, and the stall timeout in addition.
pub(super) const SLOWEST: u64 = 1_024;

/// Silence of a client after which its responses are cut, in stall timeouts. It is sent a ping earlier.
pub(super) const SILENCE: u32 = 2;

/// Number of ticks of a connection within its idle timeout and its stall timeout.
pub(super) const TICKS: u32 = 4;

/// Minimum time between two ticks.
pub(super) const SHORTEST_TICK: Duration = Duration::from_millis(10);

/// Timeout of closing a connection, from the last frame that is sent.
pub(super) const CLOSE: Duration = Duration::from_secs(3);
