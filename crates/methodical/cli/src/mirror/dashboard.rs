//! `dashboard`: serves pages over the mirror to a browser.

use std::error::Error as _;
use std::io::{self, Write};
use std::net::SocketAddr;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use methodical_dashboard::{Dashboard, DownloadColumn, DownloadFormat, DownloadWriter, Error};
use methodical_mirror::ErrorKind;
use methodical_mirror::model::tables::Mirrored;
use tempfile::TempPath;

use crate::failure::{Exit, Failure};
use crate::files::remove_leftovers;
use crate::interrupt;
use crate::mirror::open::{account, refuse_new_since};
use crate::mirror::sample;
use crate::output::flags::Dialect;
use crate::output::format::{Ending, Format, OutputColumn, OutputSetup, RecordWriter};
use crate::output::print;
use crate::run::Invocation;
use crate::settings::Settings;

/// The flags of `dashboard`.
#[derive(Debug, Args)]
pub(crate) struct DashboardFlags {
    /// Address and port of the pages. Port 0 picks a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Hide personal values, such as names; a link on the page of a record shows them.
    #[arg(long)]
    mask: bool,

    /// Do not open a browser. It is opened only on a desktop, and if the link is printed on a terminal.
    #[arg(long)]
    no_open: bool,

    /// Accept requests from a proxy with TLS at HOST. Without this flag, --listen must be an address of this machine only.
    #[arg(long, value_name = "HOST", value_parser = NonEmptyStringValueParser::new())]
    proxy_host: Option<String>,
}

/// Serves the pages until a signal ends the program.
pub(crate) fn run<S: Mirrored>(
    flags: &DashboardFlags,
    invocation: &Invocation,
) -> Result<(), Failure> {
    refuse_new_since(invocation)?;
    let mut settings = Settings::of_known(invocation)?;
    let opened = sample::open::<S>(&mut settings, invocation, "would serve")?;
    let Some((mirror, _guard)) = opened else { return Ok(()) };
    let screen = invocation.screen;
    let account = account(&mirror, &settings);
    let mut dashboard = Dashboard::of::<S>(mirror);
    match dashboard.index() {
        Err(error) if error.kind() == ErrorKind::Busy => {
            screen
                .note("the mirror is syncing: pages of large lists are slow until the next start");
        }
        Err(error) if error.kind() == ErrorKind::Denied => {
            screen.note(
                "the database role may not create indexes, so pages of large lists may be slow; start the dashboard once \
                 with the role that syncs",
            );
        }
        other => other?,
    }
    dashboard = dashboard.named(&invocation.program.name.to_string()).account(&account);
    for format in Download::all(invocation) {
        dashboard = dashboard.format(format);
    }
    if flags.mask {
        dashboard = dashboard.mask();
    }
    if let Some(host) = &flags.proxy_host {
        dashboard = dashboard.behind_proxy(host);
    }
    let listening = dashboard.listen(flags.listen).map_err(|error| failed(&error))?;
    let url = listening.url();
    print(invocation, format!("{url}\n").as_bytes())?;
    screen.note("the link works once; Ctrl-C ends the dashboard");
    remove_leftovers("dashboard-", ".html");
    let opens = !flags.no_open && screen.output.is_terminal() && has_desktop();
    let opened = opens.then(|| open_browser(&listening.open_page())).transpose();
    if let Err(error) = &opened {
        screen.note(&format!("cannot open a browser: {error}; open the link"));
    }
    interrupt::end_with_success();
    listening.run().map_err(|error| failed(&error))
}

/// Opens a page in a browser. Its file can be read by its owner only. The next start removes it: its link works once.
fn open_browser(page: &str) -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new().prefix("dashboard-").suffix(".html").tempfile()?;
    file.write_all(page.as_bytes())?;
    let file = file.into_temp_path();
    open::that_detached(&file)?;
    Ok(file)
}

fn failed(error: &Error) -> Failure {
    let failure = Failure::new(Exit::Usage, error.to_string());
    match error.source() {
        Some(cause) => failure.because(cause.to_string()),
        None => failure.hint("see --listen and --proxy-host"),
    }
}

/// Returns whether a browser could have a window.
fn has_desktop() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", windows)) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// A format of the program, for downloads.
pub(crate) struct Download {
    format: Format,
    name: &'static str,
    media_type: &'static str,
    dialect: Dialect,
}

impl Download {
    /// Returns the formats for spreadsheets that the program has.
    pub(crate) fn all(invocation: &Invocation) -> Vec<Self> {
        let known = [
            ("csv", "CSV", "text/csv; charset=utf-8"),
            ("xlsx", "XLSX", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ];
        let dialect = invocation.output.dialect();
        let found = known.into_iter().filter_map(|(format, name, media_type)| {
            let format = invocation.program.formats.named(format)?;
            Some(Self { format, name, media_type, dialect })
        });
        found.collect()
    }
}

impl DownloadFormat for Download {
    fn name(&self) -> &'static str {
        self.name
    }

    fn extension(&self) -> &'static str {
        self.format.name
    }

    fn media_type(&self) -> &'static str {
        self.media_type
    }

    fn writer(&self, columns: &[DownloadColumn]) -> io::Result<Box<dyn DownloadWriter>> {
        let columns =
            columns.iter().map(|one| OutputColumn::new(one.path(), Some(one.field_type())));
        let columns: Vec<OutputColumn> = columns.collect();
        let failed = |failure: Failure| io::Error::other(failure.text());
        let setup = OutputSetup::plain(&columns, self.dialect);
        Ok(Box::new(Writer((self.format.writer)(&setup).map_err(failed)?)))
    }
}

/// A writer of the program.
struct Writer(Box<dyn RecordWriter>);

impl DownloadWriter for Writer {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        self.0.write(out, record)
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let Ending { left_out, .. } = self.0.finish(out)?;
        match left_out.into_iter().next() {
            None => Ok(()),
            Some(text) => Err(io::Error::other(text)),
        }
    }
}
