//! Where the output goes: standard output, or a file that is there whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::interrupt;
use crate::screen::{Screen, View};

/// An open output that counts what goes through it.
#[derive(Debug)]
pub(crate) struct Destination {
    to: To,
    bytes: u64,
}

#[derive(Debug)]
enum To {
    Stdout(BufWriter<io::Stdout>),
    /// A device or a pipe: there is nothing to put in its place.
    Special(BufWriter<File>),
    /// A file that takes its name when it is complete.
    File {
        temporary: BufWriter<NamedTempFile>,
        target: PathBuf,
    },
}

impl Destination {
    /// Opens the file, or standard output.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let to = match path {
            None => To::Stdout(buffered(io::stdout())),
            Some(path) => Self::file(path).map_err(|error| {
                Failure::usage(format!("{} cannot be written", path.display()))
                    .because(error.to_string())
            })?,
        };
        Ok(Self { to, bytes: 0 })
    }

    fn file(path: &Path) -> io::Result<To> {
        // A link stays a link: what it leads to is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_missing| path.to_owned());
        if fs::metadata(&target).is_ok_and(|there| !there.is_file()) {
            return Ok(To::Special(buffered(File::options().write(true).open(&target)?)));
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        let temporary = interrupt::begin(|| {
            tempfile::Builder::new().prefix(".gateway-").suffix(".part").tempfile_in(folder)
        })?;
        Ok(To::File { temporary: buffered(temporary), target })
    }

    /// Returns how the output looks where it goes: a file by its name may be the terminal.
    pub(crate) fn view(&self, screen: Screen) -> View {
        match &self.to {
            To::Stdout(_) => screen.output,
            To::Special(device) => screen.view_of(device.get_ref()),
            To::File { .. } => View::default(),
        }
    }

    /// Returns whether it is read while it is written.
    pub(crate) fn is_read_meanwhile(&self) -> bool {
        !matches!(self.to, To::File { .. })
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
            To::File { temporary, target } => {
                let file = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.as_file().sync_all()?;
                interrupt::finish(|| Ok(file.persist(&target)?))?;
                Ok(())
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
            To::File { temporary, .. } => temporary.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stdout(out) => out.flush(),
            To::Special(out) => out.flush(),
            To::File { temporary, .. } => temporary.flush(),
        }
    }
}

fn buffered<W: Write>(out: W) -> BufWriter<W> {
    BufWriter::with_capacity(128 * 1024, out)
}
