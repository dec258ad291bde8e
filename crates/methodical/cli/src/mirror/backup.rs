//! `mirror backup` and `mirror restore`.

use std::path::{Path, PathBuf};

use clap::Args;
use methodical_mirror::{Existing, Mirror};

use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::confirm::confirm;
use crate::mirror::failure::explained;
use crate::mirror::place::{Place, open_to_read};
use crate::mirror::sync::refuse_from;

/// The arguments of `mirror backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupFlags {
    /// File of the backup. Only you can read it.
    file: PathBuf,

    /// Replace the file if it exists.
    #[arg(long)]
    replace: bool,
}

/// The arguments of `mirror restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreFlags {
    /// File of the backup.
    file: PathBuf,

    /// File of the mirror [default: that of the profile].
    #[arg(long, value_name = "MIRROR")]
    to: Option<String>,

    /// Do not ask before an existing mirror is replaced.
    #[arg(short, long)]
    yes: bool,
}

/// Writes a backup.
pub(crate) fn back_up(flags: &BackupFlags, invocation: &Invocation) -> Result<(), Failure> {
    let file = flags.file.display();
    if invocation.call.dry_run {
        invocation.screen.note(&format!("would back up the mirror to {file}"));
        return Ok(());
    }
    let mirror = open_to_read(invocation)?;
    let existing = if flags.replace { Existing::Replace } else { Existing::Refuse };
    if !flags.replace && matches!(flags.file.try_exists(), Ok(true)) {
        return Err(Failure::usage(format!("cannot write {file}: it exists"))
            .hint("choose another file, or use --replace"));
    }
    mirror.backup(&flags.file, existing).map_err(|error| explained(&error))?;
    invocation.screen.note(&format!("backed up the mirror to {file}"));
    Ok(())
}

/// Restores a backup.
pub(crate) fn restore(flags: &RestoreFlags, invocation: &Invocation) -> Result<(), Failure> {
    refuse_from(invocation)?;
    let settings = Settings::of_known(invocation)?;
    let place = Place::of(flags.to.as_deref(), &settings, invocation)?;
    let path = &place.0;
    let file = flags.file.display();
    if invocation.call.dry_run {
        invocation.screen.note(&format!("would restore {file} to {place}"));
        return Ok(());
    }
    if matches!(flags.file.try_exists(), Ok(false)) {
        return Err(Failure::usage(format!("the backup {file} does not exist")));
    }
    let [source, target] = [&flags.file, path].map(|path| path.canonicalize().ok());
    if source.is_some() && source == target {
        return Err(Failure::usage(format!("cannot restore {file}: it is the mirror itself")));
    }
    let existing = existing(path, flags)?;
    Mirror::restore(&flags.file, path, existing).map_err(|error| explained(&error))?;
    let text = format!("restored {file} to {place}; earlier cursors are refused from now on");
    invocation.screen.note(&text);
    Ok(())
}

/// Asks whether an existing mirror may be replaced.
fn existing(path: &Path, flags: &RestoreFlags) -> Result<Existing, Failure> {
    if matches!(path.try_exists(), Ok(false)) {
        return Ok(Existing::Refuse);
    }
    let (path, file) = (path.display(), flags.file.display());
    confirm(&format!("Replace the mirror {path} by {file}? This cannot be undone."), flags.yes)?;
    Ok(Existing::Replace)
}
