//! The profile and the service that a mirror belongs to. A reader refuses the mirror of another one.

use std::fmt;

use methodical_mirror::{Mirror, Source};

use crate::config::file::ConfigFile;
use crate::config::redact::redacted;
use crate::config::settings::{DEFAULT_PROFILE, Settings};
use crate::config::tokens;
use crate::connect::token_text;
use crate::failure::Failure;
use crate::invocation::{Invocation, quoted};

/// A command that reads a mirror.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    /// The mirror that the command line names.
    pub(crate) from: Option<&'a str>,
    /// The name of the account, if it is not that of the profile.
    pub(crate) account: Option<&'a str>,
    pub(crate) settings: &'a Settings,
    pub(crate) invocation: &'a Invocation,
}

impl<'a> Reader<'a> {
    /// Creates the reader of the mirror that `--from` names, or that of the profile.
    pub(crate) fn new(settings: &'a Settings, invocation: &'a Invocation) -> Self {
        let from = invocation.service.from.as_deref();
        Self { from, account: None, settings, invocation }
    }

    /// Refuses the mirror of another profile or service. A mirror that the command line names, without a profile, may be of any.
    /// Returns whether it is the mirror of the reader.
    ///
    /// `sync` is the command that creates a mirror in this place.
    pub(crate) fn check(
        &self,
        mirror: &Mirror,
        place: &impl fmt::Display,
        sync: &str,
    ) -> Result<bool, Failure> {
        let &Self { from, account, settings, invocation } = self;
        let is_named = from.is_some_and(|from| from != OF_PROFILE);
        if is_named && invocation.service.profile.is_none() {
            return Ok(false);
        }
        let own = source(account, settings, invocation);
        if own.as_ref().is_some_and(|own| mirror.is_of(own)) {
            return Ok(true);
        }
        let name = account.unwrap_or(&settings.profile.value);
        let (owner, own) = match (owner(mirror, settings), own) {
            (Some(Owner::Profile { name: owner, .. }), None) if owner == name => return Ok(true),
            // A reader without a base URL, who may not have settings at all.
            (Some(Owner::Sample) | None, None) => return Ok(false),
            (owner, own) => (owner, own),
        };
        let (reader, without) = if invocation.call.demo {
            (SAMPLE.to_owned(), "--demo")
        } else {
            let url = settings.base_url.as_ref().filter(|_| own.is_some());
            (profile(name, url.map(|url| &*url.value)), "--profile")
        };
        let text = match owner {
            Some(Owner::Sample) => {
                format!("the mirror {place} belongs to {SAMPLE}, not to {reader}")
            }
            Some(Owner::Profile { name, base_url }) => {
                let owner = profile(&name, Some(&base_url));
                format!("the mirror {place} belongs to {owner}, not to {reader}")
            }
            None => format!("the mirror {place} does not belong to {reader}"),
        };
        Err(Failure::usage(text).hint(format!(
            "`--from {}` without {without} reads it; to replace it, move it away and run {sync}",
            quoted(&place.to_string())
        )))
    }

    /// Notes that the last sync used another access token, as far as the token is known without using it.
    pub(crate) fn note_token(&self, mirror: &Mirror) {
        let Some(token) = token_text(self.settings, self.invocation) else { return };
        // Without the note, the mirror can be read.
        if let Ok(Some(false)) = mirror.knows_token(&token) {
            let profile = &self.settings.profile.value;
            self.invocation.screen.note(&format!(
                "the last sync used another access token of profile {profile}; use a profile of its own for another account"
            ));
        }
    }
}

/// Returns the source of the mirror of the settings; `None` without a base URL.
pub(crate) fn source(
    account: Option<&str>,
    settings: &Settings,
    invocation: &Invocation,
) -> Option<Source> {
    // The address of the sample service differs in each run.
    if invocation.call.demo {
        return Some(sample());
    }
    let base_url = &settings.base_url.as_ref()?.value;
    Some(Source::new(base_url, account.unwrap_or(&settings.profile.value)))
}

fn sample() -> Source {
    Source::new("demo://sample-service", "demo")
}

/// The owner of a mirror.
enum Owner {
    Sample,
    Profile { name: String, base_url: String },
}

/// Finds the owner of a mirror among the known profiles and base URLs: a mirror cannot name it.
fn owner(mirror: &Mirror, settings: &Settings) -> Option<Owner> {
    if mirror.is_of(&sample()) {
        return Some(Owner::Sample);
    }
    let program = settings.program;
    // Those in force are empty with `--demo`.
    let file = ConfigFile::read(program).unwrap_or_else(|_invalid| ConfigFile::empty(program));
    let mut names = tokens::profiles(program).unwrap_or_default();
    names.extend(file.profiles().map(str::to_owned));
    names.extend([settings.profile.value.clone(), DEFAULT_PROFILE.to_owned()]);
    let urls = names.iter().filter_map(|name| file.get(name, "base-url"));
    let urls: Vec<String> =
        settings.base_url.iter().map(|url| url.value.clone()).chain(urls).collect();
    let mut pairs = names.iter().flat_map(|name| urls.iter().map(move |url| (name, url)));
    let (name, base_url) = pairs.find(|(name, url)| mirror.is_of(&Source::new(url, name)))?;
    Some(Owner::Profile { name: name.clone(), base_url: base_url.clone() })
}

fn profile(name: &str, base_url: Option<&str>) -> String {
    match base_url {
        Some(url) => format!("profile {name} at {}", redacted(url)),
        None => format!("profile {name}"),
    }
}

const SAMPLE: &str = "the sample service (--demo)";

/// The word for the mirror of the profile.
pub(crate) const OF_PROFILE: &str = "mirror";
