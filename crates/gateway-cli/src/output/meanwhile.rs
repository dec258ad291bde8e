//! A buffered output that is passed on while the program waits for something else.
//!
//! Nobody can tell how long the next piece of an answer takes, and to pass on what came before each of them would make a
//! fast list slow. So whoever is about to wait leaves the buffer where a thread looks for it now and then.

use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

/// An output with a buffer, which is at hand or left for the thread.
#[derive(Debug)]
pub(crate) struct Meanwhile<W: Write + Send + 'static> {
    at_hand: Option<BufWriter<W>>,
    left: Arc<Mutex<Option<BufWriter<W>>>>,
    watched: bool,
}

impl<W: Write + Send + 'static> Meanwhile<W> {
    /// Takes over an output with its buffer.
    pub(crate) fn new(out: BufWriter<W>) -> Self {
        Self { at_hand: Some(out), left: Arc::default(), watched: false }
    }

    /// Looks at the output, if it is at hand.
    pub(crate) fn get_ref(&self) -> Option<&W> {
        self.at_hand.as_ref().map(BufWriter::get_ref)
    }

    /// Leaves what is in the buffer to be passed on before long. What is written next takes it back.
    pub(crate) fn leave(&mut self) {
        let Some(out) = self.at_hand.take() else { return };
        let waits = !out.buffer().is_empty();
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(out);
        if waits && !self.watched {
            let left = Arc::downgrade(&self.left);
            // Without a thread, it is passed on when the buffer is full.
            drop(thread::Builder::new().name("output".to_owned()).spawn(move || watch(&left)));
            self.watched = true;
        }
    }

    /// Returns the output, and takes it back first if it was left.
    fn out(&mut self) -> io::Result<&mut BufWriter<W>> {
        if self.at_hand.is_none() {
            self.at_hand = self.left.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        self.at_hand.as_mut().ok_or_else(|| io::Error::other("the output is gone"))
    }
}

impl<W: Write + Send + 'static> Write for Meanwhile<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out()?.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.at_hand {
            Some(out) => out.write_all(bytes),
            None => self.out()?.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out()?.flush()
    }
}

/// Passes on what is left, now and then, for as long as there is an output.
fn watch<W: Write>(left: &Weak<Mutex<Option<BufWriter<W>>>>) {
    while let Some(left) = left.upgrade() {
        if let Some(out) = left.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            // Whoever takes it back finds out about it.
            drop(out.flush());
        }
        drop(left);
        thread::park_timeout(PAUSE);
    }
}

/// How long something may stay in the buffer while the program waits.
const PAUSE: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use std::io::{self, BufWriter, Write};
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::time::Duration;

    use super::Meanwhile;

    /// Hands on what is written.
    struct Reader(SyncSender<Vec<u8>>);

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn output() -> (Meanwhile<Reader>, Receiver<Vec<u8>>) {
        let (sender, receiver) = sync_channel(10);
        (Meanwhile::new(BufWriter::new(Reader(sender))), receiver)
    }

    #[test]
    fn what_is_left_is_passed_on_and_nothing_else() {
        let (mut out, read) = output();
        out.write_all(b"one").unwrap();
        assert!(read.try_recv().is_err());
        out.leave();
        assert_eq!(read.recv_timeout(Duration::from_secs(20)).unwrap(), b"one");
        // Taken back and left again, in order.
        out.write_all(b"two").unwrap();
        out.write_all(b"three").unwrap();
        out.leave();
        out.leave();
        assert_eq!(read.recv_timeout(Duration::from_secs(20)).unwrap(), b"twothree");
        out.write_all(b"four").unwrap();
        out.flush().unwrap();
        assert_eq!(read.try_recv().unwrap(), b"four");
    }

    #[test]
    fn a_reader_that_went_away_is_noticed_by_the_next_write() {
        let (mut out, read) = output();
        drop(read);
        out.write_all(b"one").unwrap();
        out.leave();
        assert!(out.flush().is_err());
    }

    #[test]
    fn what_is_left_at_the_end_is_written() {
        let (mut out, read) = output();
        out.write_all(b"one").unwrap();
        out.leave();
        drop(out);
        assert_eq!(read.recv_timeout(Duration::from_secs(20)).unwrap(), b"one");
    }
}
