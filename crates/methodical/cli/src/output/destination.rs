//! The destination of the output: standard output, a device, or a file that is written atomically.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::atomic_file::{AtomicFile, prefix};
use crate::failure::Failure;
use crate::name::Name;
use crate::output::auto_flush::{AutoFlush, buffered};
use crate::output::paged::Paged;
use crate::output::pager::Pager;
use crate::output::upload::{Upload, UploadTarget, url_of};
use crate::program::Program;
use crate::screen::{Screen, View};

/// An open output that counts the bytes written to it.
#[derive(Debug)]
pub(crate) struct Destination {
    target: Target,
    bytes: u64,
}

#[derive(Debug)]
enum Target {
    Stdout(AutoFlush<io::Stdout>),
    /// Standard output, which is a terminal, through a pager if it is long.
    Paged(Paged),
    /// A device or a pipe, which cannot be replaced by another file.
    Device(AutoFlush<File>),
    /// A temporary file: renamed to `path` when it is complete, removed on failure.
    File {
        out: BufWriter<AtomicFile>,
        path: PathBuf,
    },
    /// An upload, which appears when it is complete.
    Upload(BufWriter<Box<dyn Upload>>),
}

impl Destination {
    /// Opens a file, also one that a URL names, or standard output without a path. The name of the program is part of that of the
    /// temporary file.
    pub(crate) fn open(path: Option<&Path>, program: &Program) -> Result<Self, Failure> {
        let target = match path {
            None => Target::Stdout(AutoFlush::new(buffered(io::stdout()))),
            Some(path) => match url_of(path) {
                None => Self::named(path, program.name)?,
                Some(url) => Self::upload(url, program)?,
            },
        };
        Ok(Self { target, bytes: 0 })
    }

    fn upload(url: &str, program: &Program) -> Result<Target, Failure> {
        let Some(uploader) = program.uploader else {
            // The URL may have a password.
            return Err(Failure::usage("cannot write to a URL: this program was built without object stores")
                .hint("use the program of the workspace methodical-warehouse; docs/warehouse.md says how to build it"));
        };
        match uploader.open(url)? {
            UploadTarget::Upload(upload) => Ok(Target::Upload(buffered(upload))),
            UploadTarget::File(path) => Self::named(&path, program.name),
        }
    }

    fn named(path: &Path, program: Name) -> Result<Target, Failure> {
        Self::file(path, program).map_err(|error| {
            let cause = match error.kind() {
                io::ErrorKind::NotFound => "no such folder".to_owned(),
                io::ErrorKind::PermissionDenied
                    if error.to_string().ends_with(READ_ONLY)
                        || error.to_string().ends_with(FOREIGN_LINK) =>
                {
                    error.to_string()
                }
                // The text of such an error names the temporary file, which the user does not know.
                kind if error.get_ref().is_some() => kind.to_string(),
                _ => error.to_string(),
            };
            Failure::usage(format!("cannot write {}", path.display())).because(cause)
        })
    }

    /// Shows output to a terminal in this pager if it is longer than the screen.
    pub(crate) fn through(self, pager: Option<Pager>) -> Self {
        match (self.target, pager) {
            (Target::Stdout(_), Some(pager)) => {
                Self { target: Target::Paged(Paged::new(pager)), ..self }
            }
            (target, _) => Self { target, ..self },
        }
    }

    /// Returns whether a pager is running, so that nothing else may be written to the terminal.
    pub(crate) fn is_paged(&self) -> bool {
        matches!(&self.target, Target::Paged(out) if out.is_running())
    }

    fn file(path: &Path, program: Name) -> io::Result<Target> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            let device = File::options().write(true).open(path)?;
            return Ok(Target::Device(AutoFlush::new(buffered(device))));
        }
        // A symbolic link is kept: the file it points to is replaced or created.
        let path = follow_links(path)?;
        if let Some(existing) = &existing {
            // Replacing a file needs no permission to write to it, but a person expects that it does.
            if existing.permissions().readonly() {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, READ_ONLY));
            }
            File::options().write(true).open(&path)?;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        let prefix = prefix(program);
        AtomicFile::remove_leftovers(folder, &prefix, PART);
        let out = AtomicFile::create(folder, &prefix, PART)?;
        if let Some(existing) = existing {
            // A replaced file keeps its mode. Some file systems do not support modes.
            drop(out.as_file().set_permissions(existing.permissions()));
        }
        Ok(Target::File { out: buffered(out), path })
    }

    /// Returns the view of the output. The path of a device may name a terminal.
    pub(crate) fn view(&self, screen: Screen) -> View {
        match &self.target {
            Target::Stdout(_) | Target::Paged(_) => screen.output,
            Target::Device(device) => {
                device.get_ref().map_or_else(View::default, |device| screen.view_of(device))
            }
            Target::File { .. } | Target::Upload(_) => View::default(),
        }
    }

    /// Returns whether a reader can see the output before it is complete.
    pub(crate) fn is_live(&self) -> bool {
        !matches!(self.target, Target::File { .. } | Target::Upload(_))
    }

    /// Flushes live output soon, in the background. Call it before the program waits.
    pub(crate) fn flush_soon(&mut self) {
        match &mut self.target {
            Target::Stdout(out) => out.flush_soon(),
            Target::Paged(out) => out.flush_soon(),
            Target::Device(out) => out.flush_soon(),
            Target::File { .. } | Target::Upload(_) => {}
        }
    }

    /// Returns the number of bytes written.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Flushes the output. A file is synced to disk, then renamed to its final name.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.target {
            Target::Stdout(mut out) => out.flush(),
            Target::Paged(out) => out.finish(),
            Target::Device(mut out) => out.flush(),
            Target::File { out, path } => {
                let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.persist(&path)
            }
            Target::Upload(out) => {
                out.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
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
        match &mut self.target {
            Target::Stdout(out) => out.write_all(bytes),
            Target::Paged(out) => out.write_all(bytes),
            Target::Device(out) => out.write_all(bytes),
            Target::File { out, .. } => out.write_all(bytes),
            Target::Upload(out) => out.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Stdout(out) => out.flush(),
            Target::Paged(out) => out.flush(),
            Target::Device(out) => out.flush(),
            Target::File { out, .. } => out.flush(),
            Target::Upload(out) => out.flush(),
        }
    }
}

/// Follows the symbolic links in a path, those of its folders too, to a path without links that may not exist.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let (mut target, mut rest) = (PathBuf::new(), path.to_owned());
    let mut links = 0;
    loop {
        let mut parts = rest.components();
        // A root replaces what is before it.
        let Some(part) = parts.next() else { return Ok(target) };
        target.push(part);
        let after = parts.as_path();
        rest = match fs::read_link(&target) {
            Ok(next) => {
                let name =
                    if target == path { "it".to_owned() } else { target.display().to_string() };
                check_link(&target, &name)?;
                links += 1;
                // A relative link starts from its own folder.
                target.pop();
                next.join(after)
            }
            Err(_no_link) => after.to_owned(),
        };
        if links > MAX_LINKS {
            // This returns the error of the system.
            return fs::canonicalize(path);
        }
    }
}

/// Refuses a link of another user in a folder where everybody can create files, such as `/tmp`. Linux refuses to follow it
/// too, but does not protect a program that reads the link itself.
#[cfg(unix)]
fn check_link(link: &Path, name: &str) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let folder = link.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::metadata(folder.unwrap_or_else(|| Path::new(".")))?;
    let owner = fs::symlink_metadata(link)?.uid();
    let shared = folder.mode() & STICKY_AND_PUBLIC == STICKY_AND_PUBLIC;
    if shared && owner != folder.uid() && owner != rustix::process::geteuid().as_raw() {
        let text = format!("{name} {FOREIGN_LINK}");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "fails on Unix")]
fn check_link(_link: &Path, _name: &str) -> io::Result<()> {
    Ok(())
}

/// Suffix of unfinished output files.
const PART: &str = ".part";

const READ_ONLY: &str = "the file is read-only";

const FOREIGN_LINK: &str =
    "is a symbolic link of another user in a folder that everybody can write to";

/// Mode bits of a folder in which everybody can create files, and only their owners can remove them.
#[cfg(unix)]
const STICKY_AND_PUBLIC: u32 = 0o1002;

/// Maximum number of symbolic links to follow, as in Linux.
const MAX_LINKS: usize = 40;
