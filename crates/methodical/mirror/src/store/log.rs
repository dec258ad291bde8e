//! Checks that a write-ahead log belongs to its database file, and that the file is whole.
//!
//! SQLite does not: it reads the changes of any valid log that has the right name, and later writes them into the
//! file. A file that was copied or restored next to the log of another file is damaged by this.
//!
//! The two have one number in common, the change counter in page 1 (SQLite file format, section 1.3.7). A log begins
//! with the counter of the file or with the next one, and increases it. A checkpoint copies the counter into the file.
//! So the counter of the file is in the range of the log, or one less than its first. A connection increases the counter once,
//! so the log that it has begun after a checkpoint fits all states of the file since it was opened. Nothing shows that the
//! log of a file is missing.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::store::files;

/// Refuses a mirror whose log does not belong to it, and leaves both unchanged.
///
/// To be called before this process opens the mirror: closing a file drops all locks that the process has on it.
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    // SQLite looks for the log beside the file that a link leads to.
    let Ok(path) = path.canonicalize() else { return Ok(()) };
    check_header(&path)?;
    let (log, journal) = (files::beside(&path, "-wal"), files::beside(&path, "-journal"));
    let stranger = match (belongs(&path, &log), is_foreign(&path, &journal)) {
        (Ok(true), Ok(false)) => return Ok(()),
        (Ok(false), _) => log,
        (_, Ok(true)) => journal,
        (Err(error), _) | (_, Err(error)) => {
            let text = format!("cannot read {} and its log", path.display());
            return Err(Error::new(ErrorKind::Io, text).because(error));
        }
    };
    let (path, log) = (path.display(), stranger.display());
    let text = format!(
        "cannot open {path}: the log {log} belongs to another state of the file, and would damage it; stop all programs that \
         use the mirror, move the log away, and check the mirror"
    );
    Err(Error::new(ErrorKind::Foreign, text))
}

/// Refuses a file whose header is damaged, or that is shorter than its header says. SQLite notices it only when it reads the
/// missing pages.
fn check_header(path: &Path) -> Result<(), Error> {
    let failed = |error: io::Error| {
        Error::new(ErrorKind::Io, format!("cannot read {}", path.display())).because(error)
    };
    let Some(file) = FileHeader::read(path).map_err(failed)? else { return Ok(()) };
    let refused = |why: &str| {
        let path = path.display();
        let text = format!("cannot open {path}: {why}; restore a backup");
        Err(Error::new(ErrorKind::Foreign, text))
    };
    if !file.is_database {
        // SQLite refuses it.
        return Ok(());
    }
    if file.versions != WITH_LOG && file.versions != WITHOUT_LOG {
        return refused("its header is damaged");
    }
    // A log may have the pages that the file lacks.
    let has_log = files::beside(path, "-wal").metadata().is_ok_and(|log| log.len() > 0);
    let length = path.metadata().map_err(failed)?.len();
    if !has_log && length < u64::from(file.page) * u64::from(file.pages) {
        return refused("it was cut");
    }
    Ok(())
}

/// Returns whether a rollback journal is beside a mirror that has no use for one. Only its first page is written with one.
fn is_foreign(path: &Path, journal: &Path) -> io::Result<bool> {
    if !journal.metadata().is_ok_and(|journal| journal.len() > 0) {
        return Ok(false);
    }
    let Some(file) = FileHeader::read(path)? else { return Ok(false) };
    Ok(file.versions == WITH_LOG && path.metadata()?.len() > u64::from(file.page))
}

/// Returns whether the log belongs to the file. A log that SQLite would ignore does.
fn belongs(path: &Path, log: &Path) -> io::Result<bool> {
    // Another process may be writing. If the log is the same one before and after, the file was read in its time.
    for _ in 0..ATTEMPTS {
        let Some(before) = Log::read(log)? else { return Ok(true) };
        let Some(file) = FileHeader::read(path)? else { return Ok(true) };
        match Log::read(log)? {
            Some(after) if after.salt == before.salt => return Ok(after.fits(file)),
            _ => {}
        }
    }
    Ok(true)
}

/// The header of a database file.
#[derive(Clone, Copy)]
struct FileHeader {
    page: u32,
    counter: u32,
    is_database: bool,
    /// The versions for writing and reading, which say whether the file has a log (section 1.3.3).
    versions: u32,
    /// The number of pages (section 1.3.8); 0 if it is not known.
    pages: u32,
}

impl FileHeader {
    /// Reads the header. Returns `None` if the file is too short.
    fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut header = [0; 100];
        if !filled(&mut File::open(path)?, &mut header)? {
            return Ok(None);
        }
        // Two bytes, in which 1 means 65,536 (section 1.3.2).
        let page = match number(&header, 16) >> 16 {
            1 => 65_536,
            page => page,
        };
        let counter = number(&header, 24);
        // Programs of old did not keep the number of pages.
        let is_known = number(&header, 92) == counter;
        Ok(Some(Self {
            page,
            counter,
            is_database: header.starts_with(b"SQLite format 3\0"),
            versions: number(&header, 16) & 0xffff,
            pages: if is_known { number(&header, 28) } else { 0 },
        }))
    }
}

/// A log, as far as it is valid.
struct Log {
    page: u32,
    salt: u64,
    /// The first and the last change counter, if the log contains page 1.
    counters: Option<(u32, u32)>,
}

impl Log {
    /// Reads a log (SQLite file format, section 4). Returns `None` if the file does not exist, or if SQLite would ignore it.
    fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut input = match File::open(path) {
            Ok(file) => BufReader::with_capacity(BUFFER, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut header = [0; 32];
        if !filled(&mut input, &mut header)? {
            return Ok(None);
        }
        let little_endian = match number(&header, 0) {
            0x377f_0682 => true,
            0x377f_0683 => false,
            _ => return Ok(None),
        };
        let mut sum = Sum { little_endian, value: (0, 0) };
        sum.add(header.get(..24).unwrap_or_default());
        let page = number(&header, 8);
        if sum.value != (number(&header, 24), number(&header, 28)) || page > 65_536 {
            return Ok(None);
        }
        let salt = (number(&header, 16), number(&header, 20));
        let mut counters = None;
        let mut frame = vec![0; 24 + page as usize];
        while filled(&mut input, &mut frame)? {
            sum.add(frame.get(..8).unwrap_or_default());
            sum.add(frame.get(24..).unwrap_or_default());
            if (number(&frame, 8), number(&frame, 12)) != salt
                || (number(&frame, 16), number(&frame, 20)) != sum.value
            {
                break;
            }
            if number(&frame, 0) == 1 {
                let counter = number(&frame, 24 + 24);
                let first = counters.map_or(counter, |(first, _)| first);
                counters = Some((first, counter));
            }
        }
        let salt = u64::from(salt.0) << 32 | u64::from(salt.1);
        Ok(Some(Self { page, salt, counters }))
    }

    fn fits(&self, file: FileHeader) -> bool {
        let in_range = |(first, last): (u32, u32)| {
            // The counter wraps around.
            let least = first.wrapping_sub(1);
            file.counter.wrapping_sub(least) <= last.wrapping_sub(least)
        };
        self.page == file.page && self.counters.is_none_or(in_range)
    }
}

/// The checksum of a log (section 4.2).
struct Sum {
    little_endian: bool,
    value: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let (mut first, mut second) = self.value;
        for pair in bytes.chunks_exact(8) {
            let (mut left, mut right) = (number(pair, 0), number(pair, 4));
            if self.little_endian {
                (left, right) = (left.swap_bytes(), right.swap_bytes());
            }
            first = first.wrapping_add(left).wrapping_add(second);
            second = second.wrapping_add(right).wrapping_add(first);
        }
        self.value = (first, second);
    }
}

/// Returns the four bytes at an offset as a big-endian number.
fn number(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<4>());
    bytes.copied().map_or(0, u32::from_be_bytes)
}

/// Fills the buffer. Returns false if the input ends before.
fn filled(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match input.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The versions of a file with a write-ahead log.
const WITH_LOG: u32 = 0x0202;

/// The versions of a file without one.
const WITHOUT_LOG: u32 = 0x0101;

/// Maximum number of readings while other processes write.
const ATTEMPTS: u32 = 5;

/// Size of the buffer for reading a log, in bytes.
const BUFFER: usize = 256 * 1024;
