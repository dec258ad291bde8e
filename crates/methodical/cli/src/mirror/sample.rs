//! The mirror that a command reads: an existing one, or with `--demo` a temporary one of the sample service.

use std::time::{Duration, SystemTime};

use methodical_mirror::model::tables::Mirrored;
use methodical_mirror::{Mirror, SyncOptions};

use crate::connect::connect_to_sample;
use crate::demo::{SampleHistory, SampleService};
use crate::failure::Failure;
use crate::files::TemporaryFolder;
use crate::mirror::found;
use crate::mirror::open::{read_place, refuse_new_since, sample, two_mirrors};
use crate::run::Invocation;
use crate::settings::Settings;

/// Opens the mirror, with a guard that deletes the one of the sample service. Returns nothing for a dry run.
pub(crate) fn open<S: Mirrored>(
    invocation: &Invocation,
    would: &str,
) -> Result<Option<(Mirror, Option<TemporaryFolder>)>, Failure> {
    if !invocation.call.demo {
        let opened = read_place(invocation, would)?;
        return Ok(opened.map(|(mirror, _)| (mirror, None)));
    }
    refuse_new_since(invocation)?;
    if invocation.is_dry_run(&format!("{would} a mirror of the sample service")) {
        return Ok(None);
    }
    let (mirror, guard) = synced::<S>(invocation)?;
    Ok(Some((mirror, Some(guard))))
}

/// Syncs a temporary mirror once for each day of the sample service, by a clock that shows that day. The mirror is deleted
/// when the second part is dropped.
fn synced<S: Mirrored>(invocation: &Invocation) -> Result<(Mirror, TemporaryFolder), Failure> {
    if invocation.mirror.from.is_some() {
        return Err(two_mirrors());
    }
    let demo = invocation.program.demo.ok_or_else(no_history)?;
    let SampleService { base_url, token, history, guard } = (demo.start)()?;
    let SampleHistory { days, values, mut set_day } = history.ok_or_else(no_history)?;
    let mut settings = Settings::of_known(invocation)?;
    let client = connect_to_sample::<S>(invocation, &mut settings, base_url, token)?;
    let folder = TemporaryFolder::create(invocation.program.name).map_err(|error| {
        Failure::usage("cannot create a temporary folder for the mirror")
            .because(error.to_string())
            .hint("set TMPDIR to use another folder")
    })?;
    let file = folder.path().join("demo.db");
    let mut mirror = Mirror::open(file, &sample())?;
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
    drop((client, set_day, guard));
    Ok((mirror, folder))
}

fn no_history() -> Failure {
    Failure::usage("cannot use --demo: the sample service of this program has no history")
        .hint("sync a mirror with --demo mirror sync --to FILE, and read it with --from FILE")
}

const DAY: Duration = Duration::from_secs(24 * 3600);
