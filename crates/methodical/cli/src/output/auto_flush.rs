//! A buffered writer that a background thread flushes while the program waits for input.
//!
//! The delay before the next piece of a response is unknown, and a flush before each piece would slow down long lists. So
//! before it waits, the program hands the buffer to a thread that flushes it at intervals.

use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use crate::lock::lock;

/// A buffered writer, owned by the program or shared with the flushing thread.
#[derive(Debug)]
pub(crate) struct AutoFlush<W: Write + Send + 'static> {
    owned: Option<BufWriter<W>>,
    shared: Arc<Mutex<Option<BufWriter<W>>>>,
    has_thread: bool,
}

impl<W: Write + Send + 'static> AutoFlush<W> {
    /// Creates a writer from a buffered one.
    pub(crate) fn new(out: BufWriter<W>) -> Self {
        Self { owned: Some(out), shared: Arc::default(), has_thread: false }
    }

    /// Returns the inner writer, unless it is shared with the thread.
    pub(crate) fn get_ref(&self) -> Option<&W> {
        self.owned.as_ref().map(BufWriter::get_ref)
    }

    /// Shares the buffer with the thread, which flushes it soon. The next write takes it back.
    pub(crate) fn flush_soon(&mut self) {
        let Some(out) = self.owned.take() else { return };
        let has_data = !out.buffer().is_empty();
        *lock(&self.shared) = Some(out);
        if has_data && !self.has_thread {
            let shared = Arc::downgrade(&self.shared);
            // If the thread cannot start, the buffer is flushed when it is full.
            drop(thread::Builder::new().name("output".to_owned()).spawn(move || run(&shared)));
            self.has_thread = true;
        }
    }

    /// Takes the buffer back from the thread if it is shared.
    fn out(&mut self) -> io::Result<&mut BufWriter<W>> {
        if self.owned.is_none() {
            self.owned = lock(&self.shared).take();
        }
        self.owned.as_mut().ok_or_else(|| io::Error::other("the output is closed"))
    }
}

impl<W: Write + Send + 'static> Write for AutoFlush<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out()?.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.owned {
            Some(out) => out.write_all(bytes),
            None => self.out()?.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out()?.flush()
    }
}

/// Returns a writer with a buffer for large outputs.
pub(crate) fn buffered<W: Write>(out: W) -> BufWriter<W> {
    BufWriter::with_capacity(128 * 1024, out)
}

/// Flushes the shared buffer at intervals until the writer is dropped.
fn run<W: Write>(shared: &Weak<Mutex<Option<BufWriter<W>>>>) {
    while let Some(shared) = shared.upgrade() {
        if let Some(out) = lock(&shared).as_mut() {
            // Unwritten data stays in the buffer, so a later flush reports the error.
            drop(out.flush());
        }
        drop(shared);
        thread::park_timeout(INTERVAL);
    }
}

/// Interval between two flushes.
const INTERVAL: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use std::io::{self, BufWriter, Write};
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::time::Duration;

    use super::AutoFlush;

    /// Sends what is written to a channel.
    struct Channel(SyncSender<Vec<u8>>);

    impl Write for Channel {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn output() -> (AutoFlush<Channel>, Receiver<Vec<u8>>) {
        let (sender, receiver) = sync_channel(10);
        (AutoFlush::new(BufWriter::new(Channel(sender))), receiver)
    }

    #[test]
    fn only_a_shared_buffer_is_flushed() {
        let (mut out, read) = output();
        out.write_all(b"one").unwrap();
        assert!(read.try_recv().is_err());
        out.flush_soon();
        assert_eq!(read.recv_timeout(Duration::from_secs(20)).unwrap(), b"one");
        // Taken back and shared again; the order is kept.
        out.write_all(b"two").unwrap();
        out.write_all(b"three").unwrap();
        out.flush_soon();
        out.flush_soon();
        assert_eq!(read.recv_timeout(Duration::from_secs(20)).unwrap(), b"twothree");
        out.write_all(b"four").unwrap();
        out.flush().unwrap();
        assert_eq!(read.try_recv().unwrap(), b"four");
    }

    #[test]
    fn a_closed_reader_is_an_error_at_the_next_flush() {
        let (mut out, read) = output();
        drop(read);
        out.write_all(b"one").unwrap();
        out.flush_soon();
        assert!(out.flush().is_err());
    }

    #[test]
    fn dropping_the_writer_flushes_a_shared_buffer() {
        let (mut out, read) = output();
        out.write_all(b"one").unwrap();
        out.flush_soon();
        drop(out);
        assert_eq!(read.recv_timeout(Duration::from_secs(20)).unwrap(), b"one");
    }
}
