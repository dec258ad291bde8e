//! The place of a mirror: a file.

use std::fmt;
use std::path::PathBuf;

use methodical_mirror::{Mirror, Source};

use crate::config::folder::data_folder;
use crate::config::redact::redacted;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::invocation::{Invocation, quoted};
use crate::mirror::ago::{ago, now};
use crate::mirror::binding::{OF_PROFILE, Reader};
use crate::mirror::failure::{explained, unreadable};
use crate::mirror::postgres;

/// The place of a mirror: a SQLite file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    /// Returns the place that a flag names, or else the environment, the profile, or a file in the data folder.
    pub(crate) fn of(
        flag: Option<&str>,
        settings: &Settings,
        invocation: &Invocation,
    ) -> Result<Self, Failure> {
        if let Some(text) = flag.filter(|text| *text != OF_PROFILE) {
            if invocation.call.demo && invocation.service.from.is_some() {
                return Err(Failure::usage("cannot use --demo and --from: they name two mirrors")
                    .hint("leave out one of them"));
            }
            return Self::parse(text, invocation);
        }
        if let Some(setting) = &settings.mirror {
            return Self::parse(&setting.value, invocation);
        }
        let folder = data_folder(settings.program)?;
        Ok(Self(if invocation.call.demo {
            folder.join("demo.db")
        } else {
            folder.join("mirrors").join(format!("{}.db", settings.profile.value))
        }))
    }

    /// Returns the place of the mirror that a command reads.
    pub(crate) fn of_reader(reader: Reader<'_>) -> Result<Self, Failure> {
        Self::of(reader.from, reader.settings, reader.invocation)
    }

    fn parse(text: &str, invocation: &Invocation) -> Result<Self, Failure> {
        if postgres::is_url(text) {
            let copy = invocation.command("mirror copy --to postgres://…");
            return Err(Failure::usage("cannot use a database as the mirror: a mirror is a file")
                .hint(format!("sync to a file, and copy it: {copy}")));
        }
        Ok(Self(text.into()))
    }

    /// Opens the mirror of a source, or creates it.
    pub(crate) fn open(&self, source: &Source) -> Result<Mirror, Failure> {
        Mirror::open(&self.0, source).map_err(|error| explained(&error))
    }

    /// Opens an existing mirror. Refuses that of another profile or service than those of the reader.
    pub(crate) fn open_existing(&self, reader: Reader<'_>) -> Result<Mirror, Failure> {
        if matches!(self.0.try_exists(), Ok(false)) {
            return Err(Failure::usage(format!("the mirror {self} does not exist"))
                .hint(format!("{} creates it", self.sync(reader.invocation))));
        }
        let mirror = Mirror::open_existing(&self.0).map_err(|error| unreadable(&error))?;
        if reader.check(&mirror, self, &self.sync(reader.invocation))? {
            reader.note_token(&mirror);
        }
        Ok(mirror)
    }

    /// Returns the command that syncs this mirror.
    pub(crate) fn sync(&self, invocation: &Invocation) -> String {
        let to = quoted(&self.0.display().to_string());
        invocation.command(&format!("mirror sync --to {to}"))
    }
}

/// Shows no password.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redacted(&self.0.display().to_string()))
    }
}

/// Opens the mirror that a command reads.
pub(crate) fn open_to_read(invocation: &Invocation) -> Result<Mirror, Failure> {
    refuse_new_since(invocation)?;
    open_for_list(invocation)
}

/// Refuses `--new-since`, which selects from lists.
pub(crate) fn refuse_new_since(invocation: &Invocation) -> Result<(), Failure> {
    match invocation.output.new_since {
        Some(_) => {
            Err(Failure::usage("cannot use --new-since: this command does not print a list"))
        }
        None => Ok(()),
    }
}

/// Opens the mirror that answers a list.
pub(crate) fn open_for_list(invocation: &Invocation) -> Result<Mirror, Failure> {
    let settings = Settings::of_known(invocation)?;
    let reader = Reader::new(&settings, invocation);
    Place::of_reader(reader)?.open_existing(reader)
}

/// Notes that the output is from the mirror, and how old the oldest of these tables is.
pub(crate) fn note_age(
    mirror: &Mirror,
    tables: &[&str],
    invocation: &Invocation,
) -> Result<(), Failure> {
    let all = mirror.tables().map_err(|error| explained(&error))?;
    let used = all.iter().filter(|one| tables.contains(&&*one.table));
    let values = used.clone().filter_map(|one| one.values_from).min();
    let times: Option<Vec<i64>> = used.map(|one| one.completed_at).collect();
    let text = match (times.and_then(|times| times.into_iter().min()), values) {
        (Some(oldest), Some(values)) if values < oldest => {
            let [oldest, values] = [oldest, values].map(|time| ago(now() - time));
            format!("from the mirror, {oldest} old; its values are up to {values} old")
        }
        (Some(oldest), _) => format!("from the mirror, {} old", ago(now() - oldest)),
        (None, _) => "from the mirror, which was not synced yet".to_owned(),
    };
    invocation.screen.note(&text);
    Ok(())
}
