//! Where a mirror is, which profile and service it belongs to, and what the mirror commands share.

use std::fmt;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use methodical_mirror::model::tables::{Mirrored, Table};
use methodical_mirror::{Error, ErrorKind, Filter, Mirror, Record, Source, SyncOptions};

use crate::commands::{Invocation, quoted};
use crate::connect::{build, token_text};
use crate::failure::{Exit, Failure};
use crate::files::data_folder;
use crate::mirror::placements::{Records, described};
use crate::mirror::{Recovered, found, recovered};
use crate::program::{OperationCommands, RecordType, SampleHistory, SampleService};
use crate::settings::{Settings, ValueOrder, redacted};

/// The location of a mirror: its SQLite file, with the settings and the invocation that chose it.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pub(crate) path: PathBuf,
    settings: Settings,
    invocation: &'a Invocation,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

impl<'a> Place<'a> {
    /// Returns the location from a flag, or else the environment or the profile, or else a file in the data folder.
    pub(crate) fn of(flag: Option<&str>, invocation: &'a Invocation) -> Result<Self, Failure> {
        let settings = Settings::of_known(invocation)?;
        let is_demo = invocation.service.demo;
        let named = flag.filter(|text| *text != OF_PROFILE);
        if named.is_some() && is_demo && invocation.mirror.from.is_some() {
            return Err(two_mirrors());
        }
        let setting = settings.get("mirror").map(|setting| &*setting.value);
        let path = if let Some(text) = named.or(setting) {
            // The text is not quoted, because a URL may contain a password.
            if text.contains("://") {
                let copy = invocation.command("mirror copy --to postgres://…");
                let text = "cannot use a URL as the mirror: a mirror is a file";
                let hint = format!("sync to a file, and copy it: {copy}");
                return Err(Failure::usage(text).hint(hint));
            }
            text.into()
        } else if is_demo {
            data_folder(&settings.program, "")?.join("demo.db")
        } else {
            let variable = settings.program.variable("MIRROR");
            let more = format!(", or name the mirror with {variable}, --to (sync) or --from");
            let folder = data_folder(&settings.program, &more)?.join("mirrors");
            folder.join(format!("{}.db", settings.profile.value))
        };
        Ok(Self { path, settings, invocation })
    }

    /// Opens an existing mirror. Refuses one whose profile or service differs from the settings.
    fn open(&self) -> Result<Mirror, Failure> {
        if matches!(self.path.try_exists(), Ok(false)) {
            let failure = Failure::usage(format!("the mirror {self} does not exist"));
            return Err(failure.hint(format!("{} creates it", self.sync())));
        }
        let mirror = Mirror::open_existing(&self.path).map_err(unreadable)?;
        if self.check(&mirror)? {
            self.note_token(&mirror);
        }
        Ok(mirror)
    }

    /// Refuses the mirror of another profile or service, unless the command line names the mirror without a profile.
    /// Returns whether the settings select this mirror.
    fn check(&self, mirror: &Mirror) -> Result<bool, Failure> {
        let Invocation { service, mirror: flags, .. } = self.invocation;
        let is_named = flags.from.as_deref().is_some_and(|from| from != OF_PROFILE);
        if is_named && service.profile.is_none() {
            return Ok(false);
        }
        let reader = self.account();
        let text = match self.source() {
            Some(own) if mirror.is_of(&own) => return Ok(true),
            Some(_) => format!("the mirror {self} does not belong to {reader}"),
            // Without a base URL, all settings may be missing.
            None => match self.other_owner(mirror) {
                Some(owner) => format!("the mirror {self} belongs to {owner}, not to {reader}"),
                None => return Ok(false),
            },
        };
        let profile = service.profile.as_ref().map(|_| " without --profile");
        let without = if service.demo { " without --demo" } else { profile.unwrap_or_default() };
        Err(Failure::usage(text).hint(format!(
            "to read it anyway, use `--from {}`{without}; to replace it, move the file elsewhere, then run {}",
            quoted(&self.to_string()),
            self.sync()
        )))
    }

    fn sync(&self) -> String {
        if Self::of(None, self.invocation).is_ok_and(|own| own.path == self.path) {
            return self.invocation.command("mirror sync");
        }
        self.invocation.command(&format!("mirror sync --to {}", quoted(&self.to_string())))
    }

    /// Adds a hint with the command that syncs the mirror and its values.
    fn ask_to_recover(&self, failure: Failure, of: Recovered, mirror: &Mirror) -> Failure {
        let runs = mirror.runs(usize::MAX).unwrap_or_default();
        // Only a sync with --no-recover logs no run of the table of values; even a failed sync logs one.
        let is_omitted = !runs.is_empty() && runs.iter().all(|run| run.table != of.table.name());
        let again = if is_omitted { " again, without --no-recover" } else { "" };
        failure.hint(format!("run {}{again}", self.sync()))
    }

    /// Returns the failure of a question about values. If the mirror lacks them, the hint has the command to add them.
    pub(crate) fn without_values(&self, error: Error, of: Recovered, mirror: &Mirror) -> Failure {
        let is_absent = error.kind() == ErrorKind::Table;
        let failure = Failure::from(error);
        if is_absent { self.ask_to_recover(failure, of, mirror) } else { failure }
    }

    /// Prints a note if the last sync used another access token and the token can be read without side effects.
    pub(crate) fn note_token(&self, mirror: &Mirror) {
        let Some(token) = token_text(&self.settings, self.invocation) else { return };
        // The mirror can be read without the note.
        if let Ok(Some(false)) = mirror.knows_token(&token) {
            self.invocation.screen.note(&format!(
                "the last sync used another access token of profile {}; if it was for another account, use a separate profile",
                self.settings.profile.value
            ));
        }
    }

    /// Returns the source of the mirror that the settings select; `None` without a base URL.
    pub(crate) fn source(&self) -> Option<Source> {
        // The address of the sample service differs in each run.
        if self.invocation.service.demo {
            return Some(sample());
        }
        let Settings { profile, .. } = &self.settings;
        Some(Source::new(&self.settings.base_url()?.value, &profile.value))
    }

    /// Names the account of a mirror if a profile was chosen and the mirror is known to belong to another profile.
    fn other_owner(&self, mirror: &Mirror) -> Option<String> {
        let Settings { profile, file, .. } = &self.settings;
        if profile.origin == "default" {
            return None;
        }
        let others = file.profiles().filter(|name| *name != profile.value);
        let mut others = others.filter_map(|name| Some((name, file.get(name, "base-url")?)));
        let (name, url) = others.find(|(name, url)| mirror.is_of(&Source::new(url, name)))?;
        Some(format!("profile {name} at {}", redacted(&url)))
    }

    /// Names the account that the settings select: the profile and the service.
    fn account(&self) -> String {
        let name = &self.settings.profile.value;
        match self.settings.base_url() {
            _ if self.invocation.service.demo => "the sample service (--demo)".to_owned(),
            Some(url) => format!("profile {name} at {}", redacted(&url.value)),
            None => format!("profile {name}"),
        }
    }

    /// Names the account and the service of a mirror: `unknown account` unless the mirror matches the settings.
    #[cfg(feature = "dashboard")]
    pub(crate) fn account_of(&self, mirror: &Mirror) -> String {
        match self.source() {
            _ if mirror.is_of(&sample()) => SAMPLE_DATA.to_owned(),
            Some(own) if mirror.is_of(&own) => self.account(),
            _ => "unknown account".to_owned(),
        }
    }
}

fn two_mirrors() -> Failure {
    Failure::usage("cannot use --demo with --from: they name different mirrors")
        .hint("leave out one of them")
}

/// Returns the failure for a mirror that cannot be opened or read. The exit code is 2 for a file problem, because the
/// mirror is not the output.
pub(crate) fn unreadable(error: Error) -> Failure {
    let is_store = matches!(error.kind(), ErrorKind::Store | ErrorKind::Io);
    let failure = Failure::from(error);
    if is_store { failure.with_exit(Exit::Usage) } else { failure }
}

/// Returns the failure for a mirror whose rows cannot be checked. If the file is not a valid mirror, the hint has the
/// commands that replace it.
pub(crate) fn damaged(error: Error, invocation: &Invocation) -> Failure {
    if error.kind() != ErrorKind::Foreign {
        return error.into();
    }
    let restore = invocation.command("mirror restore BACKUP");
    let sync = invocation.command("mirror sync --to NEW_FILE");
    Failure::from(error).hint(format!("run {restore}, or {sync}"))
}

/// The mirror of a command that answers a question about the values of members in groups.
pub(crate) struct Asked<'a> {
    pub(crate) mirror: Mirror,
    pub(crate) of: Recovered,
    /// The description of a member.
    pub(crate) member: RecordType<'static>,
    pub(crate) records: Records,
    /// The order of the values in the settings.
    pub(crate) order: ValueOrder,
    pub(crate) invocation: &'a Invocation,
}

impl<'a> Asked<'a> {
    /// Opens the mirror. Fails if it lacks the values.
    pub(crate) fn open<C: OperationCommands>(invocation: &'a Invocation) -> Result<Self, Failure> {
        let of = recovered::<C::Service>()?;
        let (mirror, place) = read_place(invocation)?;
        let tables = mirror.tables()?;
        let has = |table: &Table| {
            tables.iter().any(|one| one.table == table.name() && one.completed_at.is_some())
        };
        let text = match (has(of.groups), has(of.table)) {
            (true, true) => {
                let member = described(C::RECORDS, of.members);
                let order = ValueOrder::of(&place.settings);
                return Ok(Self { mirror, of, member, records: C::RECORDS, order, invocation });
            }
            (true, false) => format!("cannot answer from the mirror: it has no {} yet", of.value),
            _ => "cannot answer from the mirror: the first sync has not finished".to_owned(),
        };
        Err(place.ask_to_recover(Failure::usage(text), of, &mirror))
    }

    /// Notes that the answer is from the mirror, and how old it is.
    pub(crate) fn note_age(&self) -> Result<(), Failure> {
        note_age(&self.mirror, &[self.of.table.name(), self.of.groups.name()], self.invocation)
    }
}

/// Opens the mirror that a command reads, even in a dry run. Also returns its location.
pub(crate) fn read_place(invocation: &Invocation) -> Result<(Mirror, Place<'_>), Failure> {
    let place = Place::of(invocation.mirror.from.as_deref(), invocation)?;
    Ok((place.open()?, place))
}

pub(crate) fn read(invocation: &Invocation) -> Result<Mirror, Failure> {
    Ok(read_place(invocation)?.0)
}

/// Opens the mirror. The sample service's mirror is in memory and synced once per day, with the clock set to that day.
pub(crate) fn read_or_sample<S: Mirrored>(invocation: &Invocation) -> Result<Mirror, Failure> {
    if !invocation.service.demo {
        return read(invocation);
    }
    if invocation.mirror.from.is_some() {
        return Err(two_mirrors());
    }
    let demo = invocation.program.demo.ok_or_else(no_history)?;
    let SampleService { base_url, token, history, guard } = (demo.start)()?;
    let SampleHistory { days, values, mut set_day } = history.ok_or_else(no_history)?;
    let mut settings = Settings::of_known(invocation)?;
    settings.set("base-url", &base_url, "flag --demo");
    let client = build::<S>(invocation, &settings, Some(token))?;
    let mut mirror = Mirror::in_memory()?;
    let values = || values.iter().map(|&value| value.to_owned()).collect();
    let recovered = found::<S>().recovered.into_iter();
    let values = recovered.map(|one| (one.value.to_owned(), values())).collect();
    let options = SyncOptions { values, ..SyncOptions::default() };
    let now = SystemTime::now();
    for day in 0..days {
        set_day(day)?;
        let time = now - Duration::from_secs(24 * 3600) * (days - 1 - day);
        mirror = mirror.with_clock(move || time);
        let synced = mirror.sync_all(&client, &options);
        let failed = |error| Failure::usage("cannot sync with the sample service").because(error);
        synced.map_err(failed)?;
    }
    drop((client, set_day, guard));
    Ok(mirror)
}

fn no_history() -> Failure {
    Failure::usage("cannot use --demo: the sample service of this program has no history")
        .hint("create a mirror with `--demo mirror sync --to FILE`, then read it with --from FILE")
}

/// Prints a note that the output is from the mirror, with the age of the oldest of these tables.
pub(crate) fn note_age(
    mirror: &Mirror,
    tables: &[&str],
    invocation: &Invocation,
) -> Result<(), Failure> {
    let all = mirror.tables()?;
    let used = all.iter().filter(|one| tables.contains(&&*one.table));
    let values = used.clone().filter_map(|one| one.values_from).min();
    let times: Option<Vec<i64>> = used.map(|one| one.completed_at).collect();
    let text = match (times.and_then(|times| times.into_iter().min()), values) {
        (Some(oldest), Some(values)) if values < oldest => {
            let [oldest, values] = [oldest, values].map(|time| ago(now() - time));
            format!("from the mirror, {oldest} old; some values are up to {values} old")
        }
        (Some(oldest), _) => format!("from the mirror, {} old", ago(now() - oldest)),
        (None, _) => "from the mirror, which has not been fully synced yet".to_owned(),
    };
    invocation.screen.note(&text);
    Ok(())
}

/// Passes the matching records of a table to `take`, until it returns false or fails. Returns its last result.
pub(crate) fn each_record(
    mirror: &Mirror,
    table: &str,
    filter: &Filter,
    mut take: impl FnMut(Record) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    let mut done = Ok(true);
    let read = mirror.each_matching(table, filter, |record| {
        done = take(record);
        if matches!(done, Ok(true)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    read.map_err(unreadable)?;
    done
}

/// The name of the sample service's account.
#[cfg(feature = "dashboard")]
pub(crate) const SAMPLE_DATA: &str = "sample data";

fn sample() -> Source {
    Source::new("demo://sample-service", "demo")
}

/// Number of records or changes that a command reads from a mirror at a time.
pub(crate) const PAGE: usize = 500;

/// The value of `--from` for the profile's mirror.
pub(crate) const OF_PROFILE: &str = "mirror";

/// Asks on the terminal, unless `--yes` is given. Fails if the answer is no, or without a terminal.
pub(crate) fn confirm(question: &str, yes: bool) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let text =
            "cannot ask for confirmation: standard input or standard error is not a terminal";
        return Err(Failure::usage(text).hint("use --yes to skip the question"));
    }
    let mut answer = String::new();
    write!(io::stderr(), "{question} [y/N] ")
        .and_then(|()| io::stdin().lock().read_line(&mut answer))
        .map_err(|error| Failure::usage("cannot ask for confirmation").because(error))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    Err(Failure::usage("canceled: nothing was changed"))
}

pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Returns an age as text, such as `14 min`. A negative age, from a clock that was set back, becomes 0 s.
pub(crate) fn ago(seconds: i64) -> String {
    match seconds.max(0) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

/// Parses a duration such as `90s`, `15m`, `1h`, `2d` or `1w`, and returns its seconds.
pub(crate) fn duration(text: &str) -> Result<u64, &'static str> {
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400), ('w', 604_800)];
    let found =
        units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(*unit)?, *seconds)));
    let (number, unit) = found.ok_or(EXPECTED)?;
    let plain = number.bytes().all(|byte| byte.is_ascii_digit());
    let number: Option<u64> = number.parse().ok().filter(|_| plain);
    if number == Some(0) {
        return Err("must be longer than 0");
    }
    number.and_then(|number| number.checked_mul(unit)).ok_or(EXPECTED)
}

/// Returns a time in seconds since 1970 as text, in UTC.
pub(crate) fn utc(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// Returns a local time as `2026-11-30 14:05:00`, which a spreadsheet recognizes as a date.
pub(crate) fn local(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or_default();
    time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

const EXPECTED: &str = "expected a number and a unit: `90s`, `15m`, `1h`, `2d` or `1w`";

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn a_duration_has_a_number_and_a_unit() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("1h", 3600), ("2d", 172_800)] {
            assert_eq!(duration(text), Ok(seconds));
        }
        for wrong in
            ["", "m", "15", "0m", "-1h", "+1h", "1.5h", "1 h", "1é", "99999999999999999999d"]
        {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert_eq!(duration("0s"), Err("must be longer than 0"));
    }
}
