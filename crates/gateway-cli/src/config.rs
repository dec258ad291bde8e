//! Settings and where each comes from: flag, environment, profile.

use std::fmt;
use std::path::PathBuf;

use crate::config::file::ConfigFile;
use crate::config::flags::ServiceFlags;
use crate::failure::Failure;
use crate::screen::variable;
use crate::suggest::closest;

pub(crate) mod file;
pub(crate) mod flags;
pub(crate) mod folder;
#[cfg_attr(not(feature = "keyring"), path = "config/no_keyring.rs")]
pub(crate) mod keyring;
pub(crate) mod tokens;
mod value;

/// What a profile can hold.
pub(crate) const KEYS: [&str; 6] =
    ["base-url", "token-file", "token-command", "token-keyring", "allow-insecure-http", "timeout"];

/// The profile that is used when none is named.
pub(crate) const DEFAULT_PROFILE: &str = "default";

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Flag(&'static str),
    Variable(&'static str),
    Profile(String),
    Default,
    #[cfg(feature = "demo")]
    Demo,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Variable(name) => write!(f, "environment {name}"),
            Self::Profile(name) => write!(f, "profile {name}"),
            Self::Default => f.write_str("default"),
            #[cfg(feature = "demo")]
            Self::Demo => f.write_str("flag --demo"),
        }
    }
}

/// A setting that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// Everything that is in force for one run.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) profile: Setting<String>,
    pub(crate) base_url: Option<Setting<String>>,
    pub(crate) token: Option<TokenFrom>,
    pub(crate) allow_insecure_http: Setting<bool>,
    pub(crate) timeout: Option<Setting<u64>>,
    /// What the profiles have.
    pub(crate) file: ConfigFile,
}

/// Where the access token comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenFrom {
    Stdin,
    Variable,
    File(Setting<PathBuf>),
    Command(Setting<Vec<String>>),
    Keyring {
        profile: String,
    },
    Login {
        profile: String,
    },
    #[cfg(feature = "demo")]
    Demo,
}

impl fmt::Display for TokenFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input (--token-stdin)"),
            Self::Variable => write!(f, "the variable {TOKEN}"),
            Self::File(file) => write!(f, "the file {} ({})", file.value.display(), file.origin),
            Self::Command(command) => {
                let program = command.value.first().map_or("", String::as_str);
                write!(f, "the command {program} ({})", command.origin)
            }
            Self::Keyring { profile } => {
                write!(f, "the keyring of the operating system (profile {profile})")
            }
            Self::Login { profile } => write!(f, "`gateway auth login` (profile {profile})"),
            #[cfg(feature = "demo")]
            Self::Demo => f.write_str("the sample service (--demo)"),
        }
    }
}

impl Settings {
    /// Puts the settings together.
    pub(crate) fn of(flags: &ServiceFlags) -> Result<Self, Failure> {
        let profile = profile(flags)?;
        let file = if flags.is_demo() { ConfigFile::default() } else { ConfigFile::read()? };
        let given = |key: &str| file.get(&profile.value, key);
        let from = || Origin::Profile(profile.value.clone());
        let base_url = first([
            flags.base_url.clone().map(|url| (url, Origin::Flag("--base-url"))),
            variable(BASE_URL).map(|url| (url, Origin::Variable(BASE_URL))),
            given("base-url").map(|url| (url, from())),
        ]);
        let insecure = file.is_on(&profile.value, "allow-insecure-http");
        let allow_insecure_http = match (flags.allow_insecure_http, insecure) {
            (true, _) => Setting { value: true, origin: Origin::Flag("--allow-insecure-http") },
            (false, true) => Setting { value: true, origin: from() },
            (false, false) => Setting { value: false, origin: Origin::Default },
        };
        let timeout = first([
            flags.timeout.map(|seconds| (seconds, Origin::Flag("--timeout"))),
            given("timeout").and_then(|text| text.parse().ok()).map(|seconds| (seconds, from())),
        ]);
        let token = token(flags, &file, &profile.value);
        Ok(Self { profile, base_url, token, allow_insecure_http, timeout, file })
    }

    /// Puts the settings of a profile together that there is: a mistyped name must not ask another account.
    pub(crate) fn of_known(flags: &ServiceFlags) -> Result<Self, Failure> {
        let settings = Self::of(flags)?;
        let (profile, file) = (&settings.profile, &settings.file);
        let name = &profile.value;
        if flags.is_demo()
            || profile.origin == Origin::Default
            || file.profiles().any(|known| known == name)
            || tokens::hold(name)
        {
            return Ok(settings);
        }
        let failure = Failure::usage(format!("there is no profile `{name}`"));
        Err(match closest(name, file.profiles()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => {
                failure.hint(format!("`gateway --profile {name} config set base-url URL` makes it"))
            }
        })
    }
}

fn first<T, const N: usize>(candidates: [Option<(T, Origin)>; N]) -> Option<Setting<T>> {
    let (value, origin) = candidates.into_iter().flatten().next()?;
    Some(Setting { value, origin })
}

/// Finds the profile. Commands that change it need nothing else.
pub(crate) fn profile(flags: &ServiceFlags) -> Result<Setting<String>, Failure> {
    let named = first([
        flags.profile.clone().map(|name| (name, Origin::Flag("--profile"))),
        variable(PROFILE).map(|name| (name, Origin::Variable(PROFILE))),
    ]);
    let profile = named
        .unwrap_or_else(|| Setting { value: DEFAULT_PROFILE.to_owned(), origin: Origin::Default });
    check_name(&profile.value)?;
    Ok(profile)
}

/// Finds where the token comes from, without reading it.
fn token(flags: &ServiceFlags, file: &ConfigFile, profile: &str) -> Option<TokenFrom> {
    let from_file = |value: PathBuf, origin| Some(TokenFrom::File(Setting { value, origin }));
    #[cfg(feature = "demo")]
    if flags.demo {
        return Some(TokenFrom::Demo);
    }
    if flags.token_stdin {
        return Some(TokenFrom::Stdin);
    }
    if let Some(path) = &flags.token_file {
        if path.as_os_str() == "-" {
            return Some(TokenFrom::Stdin);
        }
        return from_file(path.clone(), Origin::Flag("--token-file"));
    }
    if variable(TOKEN).is_some() {
        return Some(TokenFrom::Variable);
    }
    if let Some(path) = variable(TOKEN_FILE) {
        return from_file(path.into(), Origin::Variable(TOKEN_FILE));
    }
    let origin = Origin::Profile(profile.to_owned());
    if let Some(command) = file.words(profile, "token-command") {
        return Some(TokenFrom::Command(Setting { value: command, origin }));
    }
    if let Some(path) = file.get(profile, "token-file") {
        return from_file(path.into(), origin);
    }
    if file.is_on(profile, "token-keyring") {
        return Some(TokenFrom::Keyring { profile: profile.to_owned() });
    }
    tokens::hold(profile).then(|| TokenFrom::Login { profile: profile.to_owned() })
}

/// Checks a profile name: letters, digits, `-` and `_`, so that it is a key everywhere and a path nowhere.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if begins && name.len() <= 64 && name.bytes().all(plain) {
        return Ok(());
    }
    Err(Failure::usage(format!("`{name}` is no profile name"))
        .hint("up to 64 letters, digits, `-` and `_`, and a letter or digit first"))
}

/// Checks the name of a setting.
pub(crate) fn check_key(key: &str) -> Result<(), Failure> {
    if KEYS.contains(&key) {
        return Ok(());
    }
    let hint = match closest(key, KEYS) {
        Some(near) => format!("did you mean `{near}`? All settings: {}", KEYS.join(", ")),
        None => format!("the settings are {}", KEYS.join(", ")),
    };
    Err(Failure::usage(format!("there is no setting `{key}`")).hint(hint))
}

pub(crate) const TOKEN: &str = "GATEWAY_TOKEN";
const TOKEN_FILE: &str = "GATEWAY_TOKEN_FILE";
const BASE_URL: &str = "GATEWAY_BASE_URL";
const PROFILE: &str = "GATEWAY_PROFILE";

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn profile_names_are_plain_words() {
        for good in ["default", "a", "7", "Work_2-b", &"x".repeat(64)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a\\b",
            "a.b",
            "-a",
            "_a",
            "a b",
            "a\0",
            "a\n",
            "é",
            "\u{ff0f}",
            "~",
            "$HOME",
            "a:b",
            "a*",
            "%2e%2e",
            "\u{202e}a",
            "a]",
            "\"",
            "'",
            "a=b",
            "#",
            &long,
        ] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
