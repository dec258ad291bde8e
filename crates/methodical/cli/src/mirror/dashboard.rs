//! `dashboard`: serves pages over the mirror to a browser.

use std::env;
use std::error::Error as _;
use std::io::{self, IsTerminal as _, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use methodical_dashboard::{Dashboard, DownloadFormat, DownloadWriter, Error, Readers};
use methodical_mirror::ErrorKind;
use methodical_mirror::model::tables::Mirrored;
use serde_json::json;
use tempfile::TempPath;

use crate::commands::Invocation;
use crate::connect::ask_for;
use crate::failure::{Exit, Failure};
use crate::files::{self, Lock, remove_leftovers};
use crate::mirror::open::{Place, SAMPLE_DATA, read_or_sample};
use crate::output::destination::print;
use crate::output::printer::Schema;
use crate::output::{Format, OutputColumn, OutputSetup, RecordWriter, record};
use crate::screen::{self, printable, variable};
use crate::settings::{Settings, ValueOrder};

/// The flags of `dashboard`.
#[derive(Debug, Args)]
pub(crate) struct DashboardFlags {
    #[command(subcommand)]
    command: Option<DashboardCommand>,

    /// Address and port of the pages. Port 0 picks a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Hide personal values, such as names; a link on the page of a record shows them.
    #[arg(long)]
    mask: bool,

    /// Do not open a browser. By default, one opens when you run the command in a desktop terminal.
    #[arg(long)]
    no_open: bool,

    /// Accept requests from a TLS proxy at HOST. Without this flag and --tls-certificate, --listen must be a loopback
    /// address.
    #[arg(long, value_name = "HOST", value_parser = NonEmptyStringValueParser::new())]
    proxy_host: Option<String>,

    /// Encrypt connections with this certificate, a PEM file. Readers must use a host name that is in the certificate.
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "proxy_host")]
    tls_certificate: Option<PathBuf>,

    /// The private key of the certificate, a PEM file.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
}

/// A command of the dashboard.
#[derive(Debug, Subcommand)]
enum DashboardCommand {
    /// Add, list and remove the people who may log in.
    #[command(subcommand)]
    Reader(ReaderCommand),
}

/// A command about the people who may log in.
#[derive(Debug, Subcommand)]
enum ReaderCommand {
    /// Add a reader, or change the password and the rights of a reader.
    ///
    /// The password must have at least 12 characters. You type it without seeing it, or pass it on standard input. Only
    /// its hash is stored, in a file that only you can read. A running dashboard accepts the new reader immediately.
    #[command(after_help = "\
Examples:
  {program} dashboard reader add ana
  pass show ana | {program} dashboard reader add ana --mask")]
    Add {
        /// Name for the login: letters, digits and `.-_@`.
        name: String,

        /// Hide personal values from the reader, who cannot show, search or download them.
        #[arg(long)]
        mask: bool,
    },
    /// List the readers, and whether each sees personal values.
    List,
    /// Remove a reader, and end the reader's sessions.
    Remove {
        /// Name of the reader.
        name: String,
    },
}

/// Serves the pages until a signal ends the program.
pub(crate) fn run<S: Mirrored>(
    flags: &DashboardFlags,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if let Some(DashboardCommand::Reader(command)) = &flags.command {
        if flags.mask {
            let text = "cannot use --mask before `reader`";
            return Err(Failure::usage(text).hint("use --mask after `reader add NAME`"));
        }
        return reader(command, invocation);
    }
    invocation.refuse_dry_run()?;
    let settings = Settings::of_known(invocation)?;
    let path = files::find(&settings.program, &readers_file(&settings));
    let path = path.filter(|_| !invocation.service.demo);
    let has_readers = path.as_deref().map(stored).transpose()?.is_some_and(|all| !all.is_empty());
    let mirror = read_or_sample::<S>(invocation)?;
    let screen = invocation.screen;
    let account = if invocation.service.demo {
        SAMPLE_DATA.to_owned()
    } else {
        Place::of(invocation.mirror.from.as_deref(), invocation)?.account_of(&mirror)
    };
    let mut dashboard = Dashboard::of::<S>(mirror);
    let busy = "another process is changing the mirror: pages of large lists stay slow until you restart the dashboard";
    match dashboard.index() {
        Err(error) if error.kind() == ErrorKind::Busy => screen.note(busy),
        other => other?,
    }
    let ValueOrder(order) = ValueOrder::of(&settings);
    dashboard = dashboard.order(order).named(invocation.program.name).account(&account);
    dashboard = downloads(invocation).into_iter().fold(dashboard, Dashboard::format);
    if flags.mask {
        dashboard = dashboard.mask();
    }
    if let Some(host) = &flags.proxy_host {
        dashboard = dashboard.behind_proxy(host);
    }
    if let Some((certificate, key)) = flags.tls_certificate.as_deref().zip(flags.tls_key.as_deref())
    {
        dashboard = dashboard.tls(certificate, key).map_err(|error| failed(&error))?;
    }
    if let Some(path) = path {
        dashboard = dashboard.readers(move || stored(&path).unwrap_or_default());
    }
    if has_readers {
        dashboard = dashboard.access_log(io::stderr());
    }
    let listening = dashboard.listen(flags.listen).map_err(|error| failed(&error))?;
    let url = listening.url();
    print(invocation, format!("{url}\n").as_bytes())?;
    let is_login = url.ends_with("/login");
    screen.note(if is_login {
        "readers log in with their password; press Ctrl-C to stop the dashboard"
    } else {
        "the link works once; press Ctrl-C to stop the dashboard"
    });
    let prefix = format!("{}-dashboard-", invocation.program.name);
    remove_leftovers(&env::temp_dir(), &prefix, PAGE);
    let has_desktop = cfg!(any(target_os = "macos", windows))
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| variable(name).is_some());
    let opens = !flags.no_open && !is_login && screen.output.is_terminal() && has_desktop;
    let opened = opens.then(|| open_browser(&listening.open_page(), &prefix)).transpose();
    if let Err(error) = &opened {
        screen.note(&format!("cannot open a browser: {error}; open the link"));
    }
    screen::end_with_success();
    listening.run().map_err(|error| failed(&error))
}

fn reader(command: &ReaderCommand, invocation: &Invocation) -> Result<(), Failure> {
    let &Invocation { ref program, screen, .. } = invocation;
    invocation.refuse_demo("cannot manage readers with --demo: its dashboard has none")?;
    let path = files::path(program, &readers_file(&Settings::of_known(invocation)?))?;
    let change = |done: &str, change: &dyn Fn(&mut Readers) -> Result<(), Failure>| {
        invocation.refuse_dry_run()?;
        let lock = Lock::take(program)?;
        let mut readers = stored(&path)?;
        change(&mut readers)?;
        lock.write(&path, &readers.to_string())?;
        screen.note(done);
        Ok(())
    };
    match command {
        ReaderCommand::Add { name, mask } => {
            let password = password(name)?;
            change(&format!("added the reader {name}"), &|readers| {
                readers
                    .add(name, &password, *mask)
                    .map_err(|error| Failure::usage(error.to_string()))
            })
        }
        ReaderCommand::Remove { name } => {
            change(&format!("removed the reader {name}"), &|readers| {
                let missing = || Failure::usage(format!("no reader is named `{name}`"));
                readers.remove(name).then_some(()).ok_or_else(missing)
            })
        }
        ReaderCommand::List => {
            let readers = stored(&path)?;
            let rows = readers.names().map(|(name, mask)| [json!(name), json!(mask)]);
            Schema::of_program(&["name", "mask"], false).print(invocation, rows)
        }
    }
}

fn readers_file(settings: &Settings) -> String {
    format!("readers-{}", settings.profile.value)
}

/// Returns the readers in a file. Fails if others can read the file.
fn stored(path: &Path) -> Result<Readers, Failure> {
    let text = files::read_private(path, "passwords")?.unwrap_or_default();
    Readers::parse(&text).map_err(|error| {
        Failure::usage(error.to_string()).because(format!("the file is {}", path.display()))
    })
}

/// Reads a new password: twice from the terminal, or a line of standard input.
fn password(name: &str) -> Result<String, Failure> {
    let password = ask_for("password", &format!("Password of {}", printable(name)))?;
    if !io::stdin().is_terminal() {
        return Ok(password.lines().next().unwrap_or_default().to_owned());
    }
    if ask_for("password", "Repeat the password")? != password {
        return Err(Failure::usage("the two passwords differ: nothing was changed"));
    }
    Ok(password)
}

/// Suffix of the file with the page that a browser opens.
const PAGE: &str = ".html";

/// Opens a page in a browser through a file that only its owner can read. The next start removes the file.
fn open_browser(page: &str, prefix: &str) -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new().prefix(prefix).suffix(PAGE).tempfile()?;
    file.write_all(page.as_bytes())?;
    let file = file.into_temp_path();
    open::that_detached(&file)?;
    Ok(file)
}

fn failed(error: &Error) -> Failure {
    let failure = Failure::new(Exit::Usage, error.to_string());
    match error.source() {
        Some(cause) => failure.because(cause),
        None => failure.hint("see --listen, --tls-certificate and --proxy-host"),
    }
}

/// Returns the program's spreadsheet formats, for downloads.
pub(crate) fn downloads(invocation: &Invocation) -> Vec<DownloadFormat> {
    let known = [
        (Format::CSV, "CSV", "text/csv; charset=utf-8"),
        (Format::XLSX, "XLSX", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ];
    let flags = &invocation.output;
    let found = known.into_iter().map(|(format, name, media_type)| {
        let flags = flags.clone();
        DownloadFormat::new(name, format.name, media_type, move |columns| {
            let columns = columns.iter().map(|one| OutputColumn {
                path: record::Path::parse(&one.path),
                field_type: Some(one.field_type),
            });
            let columns = columns.collect();
            let setup = OutputSetup { columns, flags: flags.clone(), ..OutputSetup::default() };
            let writer =
                (format.writer)(&setup).map_err(|failure| io::Error::other(failure.text()))?;
            Ok(Box::new(writer))
        })
    });
    found.collect()
}

impl DownloadWriter for Box<dyn RecordWriter> {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        (**self).write(out, record)
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        (**self).finish(out).map(drop).map_err(|failure| io::Error::other(failure.text()))
    }
}
