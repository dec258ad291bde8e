//! The destination of the output: standard output, a pager, a device, a file that is written atomically, or an upload.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::{env, fmt};

use crate::commands::Invocation;
use crate::failure::Failure;
use crate::files::{Access, AtomicFile, folder_of};
use crate::program::Program;
use crate::screen::{self, Screen, View, columns, printable, variable};

/// An output that appears under its name only once it is complete. If it is dropped earlier, nothing appears.
pub trait Upload: Write + Send + fmt::Debug {
    /// Completes the output. The default implementation only flushes it.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be completed. Nothing appears then.
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}

/// A function that opens the output at a URL, for [`Program::uploader`](crate::Program::uploader).
pub type Uploader = fn(url: &str) -> Result<Box<dyn Upload>, Failure>;

/// Returns an output file's name if it is a URL, or else `None`.
pub(crate) fn url_of(file: &Path) -> Option<&str> {
    let url = file.to_str()?;
    let (scheme, _) = url.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(url)
}

/// An open output, such as a file, an upload or the terminal.
#[derive(Debug)]
pub(crate) struct Destination {
    out: BufWriter<Box<dyn Upload>>,
    /// The output's width and colors. A path may also name a terminal, as a device.
    pub(crate) view: View,
    /// Whether a reader can see the output before it is complete, unlike a file or an upload.
    pub(crate) is_live: bool,
    /// Whether a pager is running, so that nothing else may be written to the terminal.
    pub(crate) is_paged: bool,
}

impl Upload for io::Stdout {}

impl Upload for File {}

impl Upload for AtomicFile {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.persist()
    }
}

impl Destination {
    /// Opens a file or an upload, or standard output without a path. The temporary file is named after the program.
    pub(crate) fn open(
        path: Option<&Path>,
        program: &Program,
        screen: Screen,
    ) -> Result<Self, Failure> {
        let (out, view): (Box<dyn Upload>, _) = match (path, path.and_then(url_of)) {
            (None, _) => (Box::new(io::stdout()), Some(screen.output)),
            (_, Some(url)) => {
                // The message does not repeat the URL, which may have a password.
                let uploader = program.uploader.ok_or_else(|| {
                    Failure::usage("cannot write to a URL: this program was built without object stores").hint(
                        "write to standard output and pipe it into the store's own client, or use the download with Parquet",
                    )
                })?;
                (uploader(url)?, None)
            }
            (Some(path), None) => file(path, program, screen).map_err(|error| {
                let failure = Failure::usage(format!("cannot write {}", path.display()));
                match error.kind() {
                    io::ErrorKind::NotFound => failure.because("no such folder"),
                    _ => failure.because(error),
                }
            })?,
        };
        let (is_live, view) = (view.is_some(), view.unwrap_or_default());
        Ok(Self { out: buffered(out), view, is_live, is_paged: false })
    }

    /// Opens the output that the flags name.
    pub(crate) fn of(invocation: &Invocation) -> Result<Self, Failure> {
        Self::open(invocation.output.file(), &invocation.program, invocation.screen)
    }

    /// Shows output in the pager, if it goes to a terminal.
    pub(crate) fn through_pager(self, invocation: &Invocation) -> Self {
        match Paged::start(invocation) {
            Some(paged) => Self { out: buffered(Box::new(paged)), is_paged: true, ..self },
            None => self,
        }
    }

    /// Flushes live output. Call it before the program waits.
    pub(crate) fn flush_live(&mut self) -> io::Result<()> {
        if self.is_live { self.flush() } else { Ok(()) }
    }

    /// Flushes the output. A file is synced to disk, then renamed to its final name.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.out.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Prints output that is not records, such as a page, a script or one value, to the output file or to standard output.
pub(crate) fn print(invocation: &Invocation, text: &[u8]) -> Result<(), Failure> {
    let mut out = Destination::of(invocation)?;
    out.write_all(text)?;
    Ok(out.finish()?)
}

/// Returns a writer with a buffer for large outputs.
fn buffered(out: Box<dyn Upload>) -> BufWriter<Box<dyn Upload>> {
    BufWriter::with_capacity(128 * 1024, out)
}

/// Opens a device or a file. Only a device has a view: a file is not visible before it is complete.
fn file(
    path: &Path,
    program: &Program,
    screen: Screen,
) -> io::Result<(Box<dyn Upload>, Option<View>)> {
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        let device = File::options().write(true).open(path)?;
        // A device or a pipe cannot be replaced by another file.
        let width = columns(&device);
        let view = View { width, color: width.is_some() && screen.has_colors };
        return Ok((Box::new(device), Some(view)));
    }
    // A symbolic link is kept: the file it points to is replaced or created.
    let path = follow_links(path)?;
    if let Some(existing) = &existing {
        // Replacing a file does not require permission to write to it, but users expect it to.
        if existing.permissions().readonly() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        File::options().write(true).open(&path)?;
    }
    // The error's text names the temporary file, which the user does not know.
    let out = AtomicFile::create(path, program).map_err(|error| error.kind())?;
    if let Some(existing) = existing {
        // A replaced file keeps its mode. Some file systems do not support modes.
        drop(out.file.as_file().set_permissions(existing.permissions()));
    }
    Ok((Box::new(out), None))
}

/// Follows the symbolic links of a path to the file to write, which need not exist.
///
/// Refuses another user's link in a world-writable folder such as `/tmp`. Linux also refuses to follow such a link, but
/// does not protect a program that resolves it.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Some(link) = target.ancestors().filter(|part| part.is_symlink()).last() else {
            return Ok(target);
        };
        let folder = Access::of(&fs::metadata(folder_of(link))?);
        let own = Access::of(&fs::symlink_metadata(link)?);
        let is_shared = folder.mode & STICKY_AND_PUBLIC == STICKY_AND_PUBLIC;
        if is_shared && own.owner != folder.owner && !own.is_own() {
            let what = "is another user's symbolic link in a world-writable folder";
            let text = format!("{} {what}", link.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        // A relative link starts from its own folder.
        let mut next = folder_of(link).join(fs::read_link(link)?);
        next.extend(target.strip_prefix(link).into_iter().flatten());
        target = next;
    }
    // There are too many links: this returns the operating system's error.
    fs::canonicalize(path)
}

/// Mode bits of a world-writable folder with the sticky bit: anyone can create files, but only owners can remove them.
const STICKY_AND_PUBLIC: u32 = 0o1002;

/// Maximum number of symbolic links to follow, as in Linux.
const MAX_LINKS: usize = 40;

/// An output of unchanged bytes, in constant memory. On a terminal, prints whole lines and escapes control characters.
#[derive(Debug)]
pub(crate) struct Raw {
    out: Destination,
    terminal: bool,
    /// On a terminal: the start of the current line.
    line: Vec<u8>,
    last: Option<u8>,
}

impl Raw {
    /// Opens the output.
    pub(crate) fn open(invocation: &Invocation) -> Result<Self, Failure> {
        let out = Destination::of(invocation)?;
        Ok(Self { terminal: out.view.is_terminal(), out, line: Vec::new(), last: None })
    }

    /// Writes a piece of the response.
    pub(crate) fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.last = piece.last().copied().or(self.last);
        if !self.terminal {
            return self.out.write_all(piece);
        }
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if let Some(line) = self.line.strip_suffix(b"\n") {
                let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
                writeln!(self.out, "{}", printable(&line))?;
                self.line.clear();
            }
        }
        Ok(())
    }

    /// Ends the last line if it has no line end.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        if self.last.is_none_or(|last| last == b'\n') { Ok(()) } else { self.write(b"\n") }
    }

    /// Flushes live output. Call it before waiting for the next piece.
    pub(crate) fn idle(&mut self) -> io::Result<()> {
        self.out.flush_live()
    }

    /// Ends the output after a failure, so that the error message appears below the written bytes.
    pub(crate) fn abort(&mut self) {
        if self.out.is_live {
            let ended = if self.terminal { self.end_line() } else { Ok(()) };
            // The failure about to be reported matters more than an error here.
            drop(ended.and_then(|()| self.out.flush()));
        }
    }

    /// Completes the output. A file is renamed to its final name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.terminal {
            self.end_line()?;
        }
        self.out.finish()
    }
}

/// Output to a running pager. Dropping it waits until the user quits the pager.
#[derive(Debug)]
struct Paged {
    /// `None` after the end of the output.
    input: Option<ChildStdin>,
    /// The thread that waits for the pager and returns its exit status.
    ended: Option<JoinHandle<io::Result<ExitStatus>>>,
}

impl Paged {
    /// Starts the pager for a list; `None` without a terminal, or if the pager is off or does not start.
    fn start(invocation: &Invocation) -> Option<Self> {
        let Invocation { output, service, screen, .. } = invocation;
        let unwanted =
            !screen.can_page || output.no_pager || output.file().is_some() || service.verbose > 0;
        let is_dumb = variable("TERM").is_none_or(|name| name == "dumb");
        if unwanted || is_dumb || variable("CI").is_some() || !io::stdin().is_terminal() {
            return None;
        }
        let chosen = env::var_os("PAGER").unwrap_or_else(|| "less".into());
        let words = shlex::split(&chosen.to_string_lossy())?;
        let (name, arguments) = words.split_first().filter(|(name, _)| *name != "cat")?;
        let mut command = Command::new(name);
        command.args(arguments).stdin(Stdio::piped());
        if variable("LESS").is_none() {
            // Quits if the output fits, shows colors, and leaves the output on the screen. Wide lines are not wrapped.
            command.env("LESS", if output.wide { "FRSX" } else { "FRX" });
        }
        let mut child = command.spawn().ok()?;
        let input = child.stdin.take();
        // Ctrl-C belongs to the pager until the user quits it, even while the program waits for the service.
        screen::leave_to_pager(true);
        let wait = move || {
            let status = child.wait();
            screen::leave_to_pager(false);
            status
        };
        let ended = thread::Builder::new().name("pager".to_owned()).spawn(wait).ok();
        Some(Self { input, ended })
    }

    /// Ends the output and waits for the pager to exit. Fails if the pager failed, so output may be unseen.
    fn wait(&mut self) -> io::Result<()> {
        drop(self.input.take());
        let Some(ended) = self.ended.take() else { return Ok(()) };
        match ended.join().unwrap_or_else(|_panic| Err(io::ErrorKind::BrokenPipe.into()))? {
            status if status.success() => Ok(()),
            status => {
                let text = format!("the pager failed ({status}); set PAGER or use --no-pager");
                Err(io::Error::other(text))
            }
        }
    }
}

impl Upload for Paged {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.wait()
    }
}

impl Write for Paged {
    /// Writes to the pager. Fails with a broken pipe if the user has quit the pager.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        match input.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.wait()?;
                Err(error)
            }
            done => done,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Paged {
    fn drop(&mut self) {
        // The failure that is about to be reported matters more than an error here.
        drop(self.wait());
    }
}

#[cfg(test)]
mod upload_tests {
    use std::path::Path;

    use super::url_of;

    #[test]
    fn only_a_scheme_makes_a_url() {
        for url in ["s3://bucket/a.csv", "file:///a.csv", "a+b-1.0://x"] {
            assert_eq!(url_of(Path::new(url)), Some(url));
        }
        for path in ["a.csv", "./s3://bucket", "://x", "1a://x", "a b://x", "c:/a.csv"] {
            assert_eq!(url_of(Path::new(path)), None);
        }
    }
}
#[cfg(test)]
mod raw_tests {
    use proptest::prelude::*;

    use super::Raw;
    use crate::output::destination::Destination;
    use crate::program::Program;
    use crate::screen::Screen;

    /// Writes the pieces as on a terminal, and returns the output.
    fn on_terminal(pieces: &[&[u8]]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terminal");
        let program = Program::new("photos", "1.0.0");
        let screen = Screen::look(&program, false);
        let out = Destination::open(Some(&path), &program, screen).unwrap();
        let mut raw = Raw { out, terminal: true, line: Vec::new(), last: None };
        for piece in pieces {
            raw.write(piece).unwrap();
        }
        raw.finish().unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn line_ends_are_kept_and_a_missing_one_is_added() {
        assert_eq!(on_terminal(&[]), "");
        assert_eq!(on_terminal(&[b"a"]), "a\n");
        assert_eq!(on_terminal(&[b"a\n"]), "a\n");
        assert_eq!(on_terminal(&[b"a\r", b"\nb\r\n\n", b"c"]), "a\nb\n\nc\n");
        assert_eq!(on_terminal(&[b"a\rb\x1b[2J\xff"]), "a\\u{d}b\\u{1b}[2J\u{fffd}\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_output_does_not_depend_on_the_pieces(
            text in "[aé😀\\r\\n\u{9b}]{0,40}",
            cut in any::<prop::sample::Index>(),
        ) {
            let (one, other) = text.as_bytes().split_at(cut.index(text.len() + 1));
            prop_assert_eq!(on_terminal(&[one, other]), on_terminal(&[text.as_bytes()]));
        }
    }
}
