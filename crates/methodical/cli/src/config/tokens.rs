//! The tokens that `auth login` stores in a private file, with one key for each profile.

use std::path::PathBuf;

use toml_edit::{DocumentMut, value};

use crate::config::folder::{self, Lock};
use crate::failure::Failure;
use crate::name::Name;

/// Returns whether a profile has a token. True if the file cannot be read: [`read`] explains the error.
pub(crate) fn hold(program: Name, profile: &str) -> bool {
    read(program, profile).map_or(true, |token| token.is_some())
}

/// Returns the names of the profiles that have a token.
pub(crate) fn profiles(program: Name) -> Result<Vec<String>, Failure> {
    Ok(open(program)?.iter().map(|(name, _)| name.to_owned()).collect())
}

/// Returns the token of a profile.
pub(crate) fn read(program: Name, profile: &str) -> Result<Option<String>, Failure> {
    let document = open(program)?;
    Ok(document.get(profile).and_then(|token| token.as_str()).map(str::to_owned))
}

/// Stores the token of a profile.
pub(crate) fn store(lock: &Lock, program: Name, profile: &str, token: &str) -> Result<(), Failure> {
    let mut document = open(program)?;
    document.insert(profile, value(token));
    lock.write(&path(program)?, &document.to_string())
}

/// Removes the token of a profile, and returns whether there was one.
pub(crate) fn remove(lock: &Lock, program: Name, profile: &str) -> Result<bool, Failure> {
    let mut document = open(program)?;
    let there = document.remove(profile).is_some();
    if there {
        lock.write(&path(program)?, &document.to_string())?;
    }
    Ok(there)
}

/// Returns the path of the file.
pub(crate) fn path(program: Name) -> Result<PathBuf, Failure> {
    folder::path(program, NAME)
}

fn open(program: Name) -> Result<DocumentMut, Failure> {
    let Some(path) = folder::find(program, NAME) else { return Ok(DocumentMut::new()) };
    let Some(text) = folder::read(&path)? else { return Ok(DocumentMut::new()) };
    folder::check_private(&path, "token")?;
    // The parser's error would quote the line, and with it the token.
    text.parse().map_err(|_quotes| {
        Failure::usage(format!("{} is not valid TOML", path.display())).hint(format!(
            "remove it, and log in again for each profile: `{program} --profile NAME auth login`"
        ))
    })
}

const NAME: &str = "tokens.toml";
