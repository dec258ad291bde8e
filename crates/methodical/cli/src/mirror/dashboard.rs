//! `dashboard`: serves pages over the mirror to a browser.

mod demo;
mod formats;

use std::error::Error as _;
use std::io::{self, Write as _};
use std::net::SocketAddr;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use methodical_dashboard::{Dashboard, Error};
use methodical_mirror::model::Mirrored;
use methodical_mirror::{ErrorKind, Mirror};

use crate::command::print::print;
use crate::config::settings::Settings;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{self, Undo, Unfinished};
use crate::invocation::Invocation;
use crate::mirror::binding::Reader;
use crate::mirror::dashboard::formats::Download;
use crate::mirror::failure::explained;
use crate::mirror::place::{Place, refuse_new_since};

/// The flags of `dashboard`.
#[derive(Debug, Args)]
pub(crate) struct DashboardFlags {
    /// Address and port of the pages. Port 0 takes a free one.
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
    let Some((mirror, _guard)) = open::<S>(&mut settings, invocation)? else { return Ok(()) };
    let screen = invocation.screen;
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
        other => other.map_err(|error| explained(&error))?,
    }
    let name = match &*settings.profile.value {
        _ if invocation.call.demo => format!("{} · demo", invocation.program.name.as_str()),
        "default" => invocation.program.name.as_str().to_owned(),
        profile => format!("{} · {profile}", invocation.program.name.as_str()),
    };
    dashboard = dashboard.named(&name);
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
    screen.note("the link works once; Ctrl-S ends the dashboard");
    let opens = !flags.no_open && screen.output.is_terminal() && has_desktop();
    let opened = opens.then(|| open_browser(&listening.open_page())).transpose();
    if let Err(error) = &opened {
        screen.note(&format!("cannot open a browser: {error}; open the link"));
    }
    interrupt::end_with_success();
    listening.run().map_err(|error| failed(&error))
}

/// Opens the mirror, with a guard that deletes the one of the sample service. Returns nothing for a dry run.
fn open<S: Mirrored>(
    settings: &mut Settings,
    invocation: &Invocation,
) -> Result<Option<(Mirror, Option<Unfinished>)>, Failure> {
    let is_dry = invocation.call.dry_run;
    if invocation.call.demo {
        if is_dry {
            invocation.screen.note("would serve a mirror of the sample service");
            return Ok(None);
        }
        let (mirror, guard) = demo::mirror::<S>(settings, invocation)?;
        return Ok(Some((mirror, Some(guard))));
    }
    let reader = Reader::new(settings, invocation);
    let place = Place::of_reader(reader)?;
    if is_dry {
        invocation.screen.note(&format!("would serve the mirror {place}"));
        return Ok(None);
    }
    Ok(Some((place.open_existing(reader)?, None)))
}

/// Opens a page in a browser. Its file can be read by its owner only, and is deleted when the guard is dropped, or when a signal
/// ends the program.
fn open_browser(page: &str) -> io::Result<Unfinished> {
    let (path, guard) = interrupt::begin(|| {
        let mut file = tempfile::Builder::new().prefix("dashboard-").suffix(".html").tempfile()?;
        file.write_all(page.as_bytes())?;
        let file = file.into_temp_path();
        let path = file.to_path_buf();
        io::Result::Ok((path, Undo::new(move || drop(file))))
    })?;
    open::that_detached(path)?;
    Ok(guard)
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
