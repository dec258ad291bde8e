//! The mirror of `--demo dashboard`: a history of some weeks, made by syncs with the sample service.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use methodical_mirror::model::Mirrored;
use methodical_mirror::{Mirror, Source, SyncOptions};
use tempfile::TempDir;

use crate::config::settings::Settings;
use crate::connect::connect_to_sample;
use crate::demo::{SampleHistory, Started};
use crate::failure::Failure;
use crate::interrupt::{self, Undo, Unfinished};
use crate::invocation::Invocation;
use crate::mirror::failure::explained;
use crate::mirror::found::found;

/// Syncs a temporary mirror once for each day of the sample service, by a clock that shows that day. The mirror is deleted
/// when the second part is dropped.
pub(crate) fn mirror<S: Mirrored>(
    settings: &mut Settings,
    invocation: &Invocation,
) -> Result<(Mirror, Unfinished), Failure> {
    if invocation.service.from.is_some() {
        return Err(Failure::usage("cannot use --demo and --from: they name two mirrors")
            .hint("leave out one of them"));
    }
    let demo = invocation.program.demo.ok_or_else(no_history)?;
    let Started { base_url, token, history, running } = demo.start()?;
    let SampleHistory { days, values, mut set_day } = history.ok_or_else(no_history)?;
    let client = connect_to_sample::<S>(invocation, settings, base_url, token)?;
    let (folder, guard) = temporary_folder()?;
    let source = Source::new("demo://sample-service", "demo");
    let opened = Mirror::open(folder.join("demo.db"), &source);
    let mut mirror = opened.map_err(|error| explained(&error))?;
    let mut options = SyncOptions::new();
    for recovered in found::<S>().recovered {
        options = options.values(recovered.value, values.iter().copied());
    }
    let now = SystemTime::now();
    for day in 0..days {
        set_day(day)?;
        let time = now - DAY * (days - 1 - day);
        mirror = mirror.with_clock(move || time);
        let synced = mirror.sync_all(&client, &options);
        synced.map_err(|error| {
            Failure::usage("cannot sync with the sample service").because(error.to_string())
        })?;
    }
    drop((client, set_day, running));
    Ok((mirror, guard))
}

/// Creates a folder that is deleted when the guard is dropped, or when a signal ends the program.
fn temporary_folder() -> Result<(PathBuf, Unfinished), Failure> {
    interrupt::begin(|| {
        let folder = TempDir::with_prefix("dashboard-").map_err(|error| {
            Failure::usage("cannot create a temporary folder for the mirror")
                .because(error.to_string())
                .hint("set TMPDIR to use another folder")
        })?;
        let path = folder.path().to_owned();
        Ok((path, Undo::new(move || drop(folder)).slow()))
    })
}

fn no_history() -> Failure {
    Failure::usage("cannot use --demo: the sample service of this program has no history")
        .hint("sync a mirror with --demo mirror sync --to FILE, and read it with --from FILE")
}

/// A day.
const DAY: Duration = Duration::from_secs(24 * 3600);
