//! The settings file, with one table for each profile, and the private file with the tokens that `auth login` stores.

use std::path::PathBuf;

use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use crate::failure::Failure;
use crate::files::{self, Lock};
use crate::program::Program;
use crate::settings::{Key, check_name, shown_value};

/// The contents of `config.toml`, checked.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    pub(crate) program: Program,
    /// `None` without a settings folder.
    path: Option<PathBuf>,
    document: DocumentMut,
    /// The contents of the file.
    text: String,
}

impl ConfigFile {
    /// Reads the file. If the file or its folder does not exist, the settings are empty.
    pub(crate) fn read(program: &Program) -> Result<Self, Failure> {
        let Some(path) = files::find(program, CONFIG) else { return Ok(Self::empty(program)) };
        let text = files::read_trusted(&path)?.unwrap_or_default();
        let document = text.parse::<DocumentMut>().map_err(|error| {
            Failure::usage(format!("{} is not valid TOML", path.display()))
                .because(place(&text, &error))
        })?;
        check(&document).map_err(|failure| failure.because(format!("in {}", path.display())))?;
        Ok(Self { program: *program, path: Some(path), document, text })
    }

    pub(crate) fn empty(program: &Program) -> Self {
        Self { program: *program, path: None, document: DocumentMut::new(), text: String::new() }
    }

    /// Returns the path of the file, which may not exist yet.
    pub(crate) fn path(&self) -> Result<PathBuf, Failure> {
        self.path.clone().map_or_else(|| files::path(&self.program, CONFIG), Ok)
    }

    pub(crate) fn profiles(&self) -> impl Iterator<Item = &str> {
        let profiles = self.document.get("profile").and_then(Item::as_table_like);
        profiles.into_iter().flat_map(|profiles| profiles.iter().map(|(name, _)| name))
    }

    /// Returns the profile to use if neither a flag nor the environment names one.
    pub(crate) fn default_profile(&self) -> Option<&str> {
        self.document.get(DEFAULT)?.as_str()
    }

    pub(crate) fn set_default_profile(&mut self, name: Option<&str>) {
        match name {
            Some(name) => self.document.insert(DEFAULT, value(name)),
            None => self.document.remove(DEFAULT),
        };
    }

    /// Removes a profile in memory; [`Self::save`] writes that. It is no longer the default profile.
    pub(crate) fn remove_profile(&mut self, name: &str) {
        if self.default_profile() == Some(name) {
            self.set_default_profile(None);
        }
        if let Some(profiles) = self.profiles_mut() {
            profiles.remove(name);
        }
    }

    fn profiles_mut(&mut self) -> Option<&mut dyn TableLike> {
        self.document.get_mut("profile")?.as_table_like_mut()
    }

    pub(crate) fn get(&self, profile: &str, key: &str) -> Option<String> {
        shown_value(self.document.get("profile")?.get(profile)?.get(key)?.as_value()?)
    }

    /// Changes a setting of a profile in memory; [`Self::save`] writes it.
    pub(crate) fn set(&mut self, profile: &str, key: &str, text: &str) -> Result<(), Failure> {
        let text = Key::find(key)?.parse(text)?;
        let table = self.document.entry("profile").or_insert_with(|| {
            let mut profiles = Table::new();
            profiles.set_implicit(true);
            Item::Table(profiles)
        });
        let settings = table.as_table_like_mut().and_then(|profiles| {
            let settings = profiles.entry(profile).or_insert_with(|| Item::Table(Table::new()));
            settings.as_table_like_mut()
        });
        let settings = settings.ok_or_else(|| {
            Failure::usage(format!("cannot set {key}: `profile.{profile}` is not a table"))
        })?;
        settings.insert(key, value(text));
        Ok(())
    }

    /// Removes a setting of a profile in memory; [`Self::save`] writes that. Returns whether it was set.
    pub(crate) fn unset(&mut self, profile: &str, key: &str) -> bool {
        // `Item::get_mut` would insert an empty item for an absent profile.
        let settings = self.profiles_mut().and_then(|profiles| profiles.get_mut(profile));
        settings.and_then(Item::as_table_like_mut).and_then(|found| found.remove(key)).is_some()
    }

    /// Writes the file if a setting has changed. The lock was taken before the file was read.
    pub(crate) fn save(&self, lock: &Lock) -> Result<(), Failure> {
        let text = self.document.to_string();
        if text == self.text { Ok(()) } else { lock.write(&self.path()?, &text) }
    }
}

/// Describes the error and its position, without the line itself, which may contain a token.
fn place(text: &str, error: &toml_edit::TomlError) -> String {
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let before = error.span().and_then(|span| text.get(..span.start));
    let Some(before) = before else { return message };
    let begun = before.rsplit('\n').next().unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("line {line}, column {}: {message}", begun.chars().count() + 1)
}

const DEFAULT: &str = "default-profile";

/// Refuses unknown keys: a typo must not be ignored.
fn check(document: &DocumentMut) -> Result<(), Failure> {
    let wrong = |what: String| move || Failure::usage(what);
    for (key, item) in document.iter() {
        if key == DEFAULT {
            check_name(item.as_str().ok_or_else(wrong(format!("`{DEFAULT}` must be text")))?)?;
            continue;
        }
        let profiles = item.as_table_like().filter(|_| key == "profile").ok_or_else(|| {
            Failure::usage(format!("unexpected key `{key}`"))
                .hint("settings belong in a table [profile.NAME]")
        })?;
        for (name, settings) in profiles.iter() {
            check_name(name)?;
            let settings = settings.as_table_like();
            let settings =
                settings.ok_or_else(wrong(format!("`profile.{name}` must be a table")))?;
            for (key, value) in settings.iter() {
                let text = value.as_value().and_then(shown_value);
                // A list or table counts as an empty string, which no setting accepts; the error lists the valid
                // values.
                let checked = Key::find(key)?.check(&text.unwrap_or_default());
                checked.map_err(|failure| failure.because(format!("in profile `{name}`")))?;
            }
        }
    }
    Ok(())
}

/// A token that `auth login` stored.
#[derive(Debug)]
pub(crate) struct StoredToken {
    pub(crate) token: String,
    /// The origin of the service that it is for.
    pub(crate) service: String,
}

/// Returns whether a profile has a stored token. True if the file cannot be read: [`stored_token`] explains the error.
pub(crate) fn has_token(program: &Program, profile: &str) -> bool {
    stored_token(program, profile).map_or(true, |token| token.is_some())
}

/// Returns the names of all profiles in order, including those that have only a token.
pub(crate) fn profile_names(file: &ConfigFile) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> =
        tokens(&file.program)?.iter().map(|(name, _)| name.to_owned()).collect();
    names.extend(file.profiles().map(str::to_owned));
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

pub(crate) fn stored_token(
    program: &Program,
    profile: &str,
) -> Result<Option<StoredToken>, Failure> {
    let document = tokens(program)?;
    let Some(entry) = document.get(profile) else { return Ok(None) };
    parse_token(entry).map(Some).ok_or_else(|| {
        Failure::usage(format!("the stored token of profile {profile} does not name its service"))
            .hint(format!("log in again with `{} --profile {profile} auth login`", program.name))
    })
}

fn parse_token(entry: &Item) -> Option<StoredToken> {
    let text = |key| entry.get(key).and_then(Item::as_str).map(str::to_owned);
    Some(StoredToken { token: text("token")?, service: text("service")? })
}

/// Stores the token of a profile, or removes it. Returns the former one.
pub(crate) fn set_token(
    lock: &Lock,
    program: &Program,
    profile: &str,
    token: Option<&StoredToken>,
) -> Result<Option<StoredToken>, Failure> {
    let mut document = tokens(program)?;
    let former = match token {
        Some(StoredToken { token, service }) => {
            let entry = Table::from_iter([("service", service), ("token", token)]);
            document.insert(profile, Item::Table(entry))
        }
        None => document.remove(profile),
    };
    if former.is_some() || token.is_some() {
        lock.write(&tokens_path(program)?, &document.to_string())?;
    }
    Ok(former.as_ref().and_then(parse_token))
}

pub(crate) fn tokens_path(program: &Program) -> Result<PathBuf, Failure> {
    files::path(program, TOKENS)
}

fn tokens(program: &Program) -> Result<DocumentMut, Failure> {
    let Some(path) = files::find(program, TOKENS) else { return Ok(DocumentMut::new()) };
    let text = files::read_private(&path, "token")?.unwrap_or_default();
    // The parser's error would quote the line, and with it the token.
    text.parse().map_err(|_quotes| {
        Failure::usage(format!("{} is not valid TOML", path.display())).hint(format!(
            "remove it, and log in again for each profile: `{} --profile NAME auth login`",
            program.name
        ))
    })
}

const CONFIG: &str = "config.toml";

const TOKENS: &str = "tokens.toml";
