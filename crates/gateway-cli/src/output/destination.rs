//! Where the output goes: standard output, or a file that is there whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::atomic_file::AtomicFile;
use crate::failure::Failure;
use crate::output::meanwhile::Meanwhile;
use crate::screen::{Screen, View};

/// An open output that counts what goes through it.
#[derive(Debug)]
pub(crate) struct Destination {
    to: To,
    bytes: u64,
}

#[derive(Debug)]
enum To {
    Stdout(Meanwhile<io::Stdout>),
    /// A device or a pipe: there is nothing to put in its place.
    Special(Meanwhile<File>),
    /// A file that takes its name when it is complete, and goes away if it never is.
    File {
        out: BufWriter<AtomicFile>,
        target: PathBuf,
    },
}

impl Destination {
    /// Opens the file, or standard output.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let to = match path {
            None => To::Stdout(Meanwhile::new(buffered(io::stdout()))),
            Some(path) => Self::file(path).map_err(|error| {
                let cause = match error.kind() {
                    io::ErrorKind::NotFound => "there is no such folder".to_owned(),
                    // Nobody knows the file that the text of some errors names.
                    kind if error.get_ref().is_some() => kind.to_string(),
                    _ => error.to_string(),
                };
                Failure::usage(format!("{} cannot be written", path.display())).because(cause)
            })?,
        };
        Ok(Self { to, bytes: 0 })
    }

    fn file(path: &Path) -> io::Result<To> {
        let there = fs::metadata(path).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            let device = File::options().write(true).open(path)?;
            return Ok(To::Special(Meanwhile::new(buffered(device))));
        }
        // A link stays a link: what it leads to is replaced, or made.
        let target = if there.is_some() { fs::canonicalize(path)? } else { led_to(path)? };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        let out = AtomicFile::create(folder, ".part")?;
        if let Some(there) = there {
            // Who may read it was decided when it was made. Some file systems know no such thing.
            drop(out.as_file().set_permissions(there.permissions()));
        }
        Ok(To::File { out: buffered(out), target })
    }

    /// Returns how the output looks where it goes: a file by its name may be the terminal.
    pub(crate) fn view(&self, screen: Screen) -> View {
        match &self.to {
            To::Stdout(_) => screen.output,
            To::Special(device) => {
                device.get_ref().map_or_else(View::default, |device| screen.view_of(device))
            }
            To::File { .. } => View::default(),
        }
    }

    /// Returns whether it is read while it is written.
    pub(crate) fn is_read_meanwhile(&self) -> bool {
        !matches!(self.to, To::File { .. })
    }

    /// Sees to it that what is written is read before long, because the program is about to wait.
    pub(crate) fn leave(&mut self) {
        match &mut self.to {
            To::Stdout(out) => out.leave(),
            To::Special(out) => out.leave(),
            To::File { .. } => {}
        }
    }

    /// Returns how many bytes were written.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes what is left; a file takes its name now, and is on the disk.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.to {
            To::Stdout(mut out) => out.flush(),
            To::Special(mut out) => out.flush(),
            To::File { out, target } => {
                let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.persist(&target)
            }
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes += u64::try_from(bytes.len()).unwrap_or(0);
        match &mut self.to {
            To::Stdout(out) => out.write_all(bytes),
            To::Special(out) => out.write_all(bytes),
            To::File { out, .. } => out.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stdout(out) => out.flush(),
            To::Special(out) => out.flush(),
            To::File { out, .. } => out.flush(),
        }
    }
}

/// Follows a link that leads to nothing, up to what is missing.
fn led_to(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&target) else { return Ok(target) };
        // It starts from the folder that it is in.
        target = target.parent().unwrap_or_else(|| Path::new("")).join(next);
    }
    // The system says best what it finds there.
    fs::canonicalize(path)
}

fn buffered<W: Write>(out: W) -> BufWriter<W> {
    BufWriter::with_capacity(128 * 1024, out)
}

/// How many links systems follow.
const LINKS: usize = 40;
