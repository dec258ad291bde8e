//! `cache`: the responses that `--cache` stored.

use clap::Subcommand;

use crate::cache::store::clear;
use crate::config::folder::cache_folder;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::progress::size;

/// A command about stored responses.
#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Remove the stored responses of all profiles.
    Clear,
}

/// Runs the command.
pub(crate) fn run(command: &CacheCommand, invocation: &Invocation) -> Result<(), Failure> {
    let CacheCommand::Clear = command;
    let folder = cache_folder(invocation.program.name)?;
    let (files, bytes) = clear(&folder, invocation.call.dry_run).map_err(|error| {
        Failure::usage(format!("cannot remove the stored responses in {}", folder.display()))
            .because(error.to_string())
    })?;
    let responses = if files == 1 { "1 response" } else { &format!("{files} responses") };
    let done = if invocation.call.dry_run { "would remove" } else { "removed" };
    let (size, folder) = (size(bytes), folder.display());
    invocation.screen.note(&format!("{done} {responses} ({size}) in {folder}"));
    Ok(())
}
