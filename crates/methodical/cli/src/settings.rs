//! Settings: the table of a profile's settings, which values are active, and where the access token comes from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fmt, path};

use clap::{ArgAction, Args};
use http::Uri;
use jiff::civil::Date;
use toml_edit::Value;

use crate::args::seconds;
use crate::commands::Invocation;
use crate::failure::Failure;
use crate::files::{ConfigFile, has_token, stored_token, with_unread};
use crate::output::day;
use crate::program::Program;
use crate::screen::closest;

/// The service to call, and the token to call it with.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Service")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct ServiceFlags {
    /// Base URL of the service (or `{PROGRAM}_BASE_URL`).
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// Profile with the settings to use (or `{PROGRAM}_PROFILE`).
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,

    /// Read the access token from a file that only you can read (or `{PROGRAM}_TOKEN_FILE`).
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "token_stdin")]
    pub(crate) token_file: Option<PathBuf>,

    /// Read the access token from standard input.
    #[arg(long, global = true)]
    pub(crate) token_stdin: bool,

    /// Allow unencrypted http to remote hosts (exposes the token).
    #[arg(long, global = true)]
    pub(crate) allow_insecure_http: bool,

    /// Time limit for each call, including its retries.
    ///
    /// Default: 60 s for a call including its retries, 30 s for each attempt, one hour for a list until its last
    /// record, and 20 s without any byte from the service. `check` applies the limit to each of its requests.
    /// Connecting may take 5 s in each attempt, regardless of this limit.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<u64>,

    /// Use a sample service that runs only for this command.
    #[arg(long, global = true)]
    pub(crate) demo: bool,

    /// Print the request as a `curl` command and send nothing.
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,

    /// Log requests and responses to standard error, with times; -vv adds the headers. Tokens are never logged.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The mirror to read instead of the service. Only programs of services with tables show these flags.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Mirror")]
pub(crate) struct MirrorFlags {
    /// Read from a mirror: a file, or `mirror` for the mirror of the profile.
    ///
    /// `{program} mirror sync` creates it. Commands that need a mirror, such as `board`, use the mirror of the profile by
    /// default: the file in `{PROGRAM}_MIRROR`, in the setting `mirror`, or else the file `{program}/mirrors/PROFILE.db` in
    /// `XDG_DATA_HOME` or `~/.local/share`.
    #[arg(long, global = true, value_name = "MIRROR")]
    pub(crate) from: Option<String>,

    /// With --from, print only records that the mirror first saw on DATE or later.
    ///
    /// DATE is YYYY-MM-DD, or a day as in --since. The day begins at midnight on this machine. This date is unrelated
    /// to the dates in the records.
    #[arg(long, global = true, value_name = "DATE", value_parser = day, requires = "from")]
    pub(crate) new_since: Option<Date>,

    /// The values of a list's flag after the first one.
    #[arg(skip)]
    pub(crate) more_values: Vec<String>,
}

/// The value of a setting, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    /// Where the value comes from, as a message names it: a flag, a variable or a profile.
    pub(crate) origin: String,
}

/// Returns where a profile's settings come from.
pub(crate) fn of_profile(name: &str) -> String {
    format!("profile {name}")
}

/// The source of the access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenFrom {
    Stdin,
    /// The environment variable of this name.
    Variable(String),
    File(Setting<PathBuf>),
    Command(Setting<Vec<String>>),
    Login {
        /// The command that stored the token.
        command: String,
        profile: String,
    },
    Demo,
}

impl fmt::Display for TokenFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input (--token-stdin)"),
            Self::Variable(name) => write!(f, "the environment variable {name}"),
            Self::File(file) => write!(f, "the file {} ({})", file.value.display(), file.origin),
            Self::Command(command) => {
                let program = command.value.first().map_or("", String::as_str);
                write!(f, "the command {program} ({})", command.origin)
            }
            Self::Login { command, profile } => write!(f, "{command} (profile {profile})"),
            Self::Demo => f.write_str("the sample service (--demo)"),
        }
    }
}

/// The settings of this run, from flags, environment variables, the profile or defaults.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) program: Program,
    pub(crate) profile: Setting<String>,
    /// The settings of [`KEYS`] that are set.
    values: BTreeMap<&'static str, Setting<String>>,
    pub(crate) token: Option<TokenFrom>,
    /// The settings file with all profiles.
    pub(crate) file: ConfigFile,
}

/// The setting `statuses`: the order of values such as statuses, and their groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValueOrder(pub(crate) Vec<(Option<String>, Vec<String>)>);

impl ValueOrder {
    pub(crate) fn of(settings: &Settings) -> Self {
        let order = settings.get("statuses");
        order.and_then(|order| Self::parse(&order.value)).unwrap_or_default()
    }

    /// Parses `New, On hold; Hired: Accepted, Started`: groups separated by semicolons. A group with a colon is named.
    fn parse(text: &str) -> Option<Self> {
        let group = |group: &str| {
            let (name, values) = match group.split_once(':') {
                Some((name, values)) => (Some(name.trim().to_owned()), values),
                None => (None, group),
            };
            let values: Vec<String> = values.split(',').map(|one| one.trim().to_owned()).collect();
            let is_whole = name.as_ref().is_none_or(|name| !name.is_empty())
                && values.iter().all(|value| !value.is_empty());
            is_whole.then_some((name, values))
        };
        text.split(';').map(group).collect::<Option<_>>().map(Self)
    }

    /// Returns the setting's values in order, then the other known values.
    pub(crate) fn with<'a>(&'a self, known: &[&'a str]) -> Vec<&'a str> {
        let mut all: Vec<&str> =
            self.0.iter().flat_map(|(_, values)| values).map(String::as_str).collect();
        for value in known {
            if !all.contains(value) {
                all.push(value);
            }
        }
        all
    }

    pub(crate) fn group_of(&self, value: &str) -> Option<&str> {
        self.0.iter().find(|(_, values)| values.iter().any(|one| one == value))?.0.as_deref()
    }

    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|(name, _)| name.as_deref())
    }
}

impl Settings {
    /// Combines flags, environment and profile, in this order of precedence.
    pub(crate) fn of(invocation: &Invocation) -> Result<Self, Failure> {
        let Invocation { service: flags, program, .. } = invocation;
        let file = if flags.demo { ConfigFile::empty(program) } else { ConfigFile::read(program)? };
        let profile = profile(invocation, &file)?;
        let mut values = BTreeMap::new();
        for key in &KEYS {
            let flag = match key.name {
                "base-url" => flags.base_url.clone(),
                "allow-insecure-http" => flags.allow_insecure_http.then(|| true.to_string()),
                "timeout" => flags.timeout.map(|seconds| seconds.to_string()),
                _ => None,
            };
            let variable = match key.variable {
                // The sample service is not the source of an account's mirror.
                Some("MIRROR") if flags.demo => None,
                // `token` finds the source of the token.
                Some(name) if name != TOKEN_FILE => variable(name, program)?,
                _ => None,
            };
            let found = first([
                flag.map(|value| (value, format!("flag --{}", key.name))),
                variable,
                file.get(&profile.value, key.name).map(|value| (value, of_profile(&profile.value))),
                key.default.map(|value| (value.to_owned(), "default".to_owned())),
            ]);
            values.extend(found.map(|found| (key.name, found)));
        }
        let token = token(invocation, &file, &profile.value)?;
        Ok(Self { program: *program, profile, values, token, file })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Setting<String>> {
        self.values.get(key)
    }

    pub(crate) fn base_url(&self) -> Option<&Setting<String>> {
        self.get("base-url")
    }

    /// Replaces a setting for this invocation.
    pub(crate) fn set(&mut self, key: &'static str, value: &str, origin: &str) {
        self.values.insert(key, Setting { value: value.to_owned(), origin: origin.to_owned() });
    }

    pub(crate) fn timeout(&self) -> Option<u64> {
        self.get("timeout")?.value.parse().ok()
    }

    /// Like [`of`](Self::of), but fails for an unknown profile: a typo must not select another account.
    pub(crate) fn of_known(invocation: &Invocation) -> Result<Self, Failure> {
        let settings = Self::of(invocation)?;
        let Self { program, profile, file, .. } = &settings;
        let name = &profile.value;
        let is_known = invocation.service.demo
            || name == DEFAULT_PROFILE
            || file.profiles().any(|known| known == name)
            || has_token(program, name);
        if is_known {
            return Ok(settings);
        }
        Err(unknown_profile(program, name, &file.profiles().collect::<Vec<_>>()))
    }
}

pub(crate) fn unknown_profile(program: &Program, name: &str, known: &[&str]) -> Failure {
    let failure = Failure::usage(format!("unknown profile `{name}`"));
    let create = program.command(&format!("--profile {name} config set base-url URL"));
    let hint = match closest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("create it with {create}"),
    };
    with_unread(failure.hint(hint), program)
}

fn first<const N: usize>(given: [Option<(String, String)>; N]) -> Option<Setting<String>> {
    let (value, origin) = given.into_iter().flatten().next()?;
    Some(Setting { value, origin })
}

/// Returns the value of one of the program's environment variables, with its origin.
fn variable(name: &str, program: &Program) -> Result<Option<(String, String)>, Failure> {
    let name = program.variable(name);
    Ok(setting(&name)?.map(|value| (value, format!("environment variable {name}"))))
}

/// Returns the value of an environment variable; `None` if it is unset or empty.
///
/// Text that is not UTF-8 is refused: if it were ignored, another source could select another account.
pub(crate) fn setting(name: &str) -> Result<Option<String>, Failure> {
    match env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_value)) => {
            Err(Failure::usage(format!("the environment variable {name} is not valid UTF-8")))
        }
    }
}

/// Returns the profile, which may not exist yet. The sample service has no profiles.
fn profile(invocation: &Invocation, file: &ConfigFile) -> Result<Setting<String>, Failure> {
    if invocation.service.profile.is_some() {
        let text = "cannot use --profile with --demo: the sample service has no profiles";
        invocation.refuse_demo(text)?;
    }
    let named = first([
        invocation.service.profile.clone().map(|name| (name, "flag --profile".to_owned())),
        variable("PROFILE", &invocation.program)?,
        file.default_profile().map(|name| (name.to_owned(), "profile use".to_owned())),
    ]);
    let (value, origin) = (DEFAULT_PROFILE.to_owned(), "default".to_owned());
    let profile = named.unwrap_or(Setting { value, origin });
    check_name(&profile.value)?;
    Ok(profile)
}

/// Finds the source of the token, without reading the token.
fn token(
    invocation: &Invocation,
    file: &ConfigFile,
    profile: &str,
) -> Result<Option<TokenFrom>, Failure> {
    let from_file = |value: PathBuf, origin| TokenFrom::File(Setting { value, origin });
    let Invocation { service: flags, program, .. } = invocation;
    let [variable, file_variable] = ["TOKEN", TOKEN_FILE].map(|one| program.variable(one));
    Ok(Some(if flags.demo {
        TokenFrom::Demo
    } else if flags.token_stdin {
        TokenFrom::Stdin
    } else if let Some(path) = &flags.token_file {
        from_file(path.clone(), "flag --token-file".to_owned())
    } else if setting(&variable)?.is_some() {
        TokenFrom::Variable(variable)
    } else if let Some(path) = env::var_os(&file_variable).filter(|path| !path.is_empty()) {
        from_file(path.into(), format!("environment variable {file_variable}"))
    } else {
        return Ok(token_of_profile(file, profile));
    }))
}

/// Finds the source of the token in a profile.
pub(crate) fn token_of_profile(file: &ConfigFile, profile: &str) -> Option<TokenFrom> {
    let origin = of_profile(profile);
    if let Some(value) = file.get(profile, "token-command").and_then(|text| words(&text)) {
        Some(TokenFrom::Command(Setting { value, origin }))
    } else if let Some(path) = file.get(profile, "token-file") {
        Some(TokenFrom::File(Setting { value: path.into(), origin }))
    } else {
        let command = file.program.command("auth login");
        let stored = TokenFrom::Login { command, profile: profile.to_owned() };
        has_token(&file.program, profile).then_some(stored)
    }
}

pub(crate) const DEFAULT_PROFILE: &str = "default";

/// A setting of a profile.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// The environment variable that takes precedence over the profile, without the program's name.
    pub(crate) variable: Option<&'static str>,
    default: Option<&'static str>,
    /// The setting's description in the help.
    pub(crate) about: &'static str,
    /// Returns whether this is a valid value of the setting.
    is_valid: fn(&str) -> bool,
    /// A description of the valid values, for the error about an invalid one.
    expected: &'static str,
    /// Whether the value is a path. It is stored as an absolute path, because the next command may run elsewhere.
    is_path: bool,
}

impl Key {
    const fn new(name: &'static str, about: &'static str) -> Self {
        let (variable, default, is_path) = (None, None, false);
        let expected = "non-empty text";
        let is_valid = |text: &str| !text.is_empty();
        Self { name, variable, default, about, is_valid, expected, is_path }
    }

    const fn path(self, variable: &'static str) -> Self {
        Self { variable: Some(variable), is_path: true, ..self }
    }

    const fn checked(self, is_valid: fn(&str) -> bool, expected: &'static str) -> Self {
        Self { is_valid, expected, ..self }
    }

    /// Returns the setting of this name, or fails for an unknown one.
    pub(crate) fn find(name: &str) -> Result<&'static Self, Failure> {
        let found = KEYS.iter().find(|key| key.name == name);
        found.ok_or_else(|| unknown_setting(name, &KEYS.each_ref().map(|key| key.name)))
    }

    /// Refuses an invalid value of the setting.
    pub(crate) fn check(&self, text: &str) -> Result<(), Failure> {
        if (self.is_valid)(text) {
            return Ok(());
        }
        Err(Failure::usage(format!("`{}` must be {}", self.name, self.expected)))
    }

    /// Checks a value, and returns the text to store. A relative path becomes absolute.
    pub(crate) fn parse(&self, text: &str) -> Result<String, Failure> {
        self.check(text)?;
        if self.is_path && !text.contains("://") { absolute(text) } else { Ok(text.to_owned()) }
    }
}

/// All settings of a profile, in the order in which the help lists them.
pub(crate) static KEYS: [Key; 7] = [
    Key {
        variable: Some("BASE_URL"),
        ..Key::new("base-url", "base URL of the service")
            .checked(|text| origin(text).is_some(), "a URL such as https://service.example.com")
    },
    Key::new("token-file", "file with the access token, which only you can read").path(TOKEN_FILE),
    Key::new("token-command", "program that prints the access token, with its arguments").checked(
        |text| words(text).is_some(),
        "a program with its arguments as one string, quoted as in a shell, such as `pass show NAME`",
    ),
    Key {
        default: Some("false"),
        ..Key::new("allow-insecure-http", "true allows http to remote hosts (exposes the token)")
            .checked(|text| matches!(text, "true" | "false"), "true or false")
    },
    Key::new("timeout", "time limit for each call, in seconds")
        .checked(|text| seconds(text).is_ok(), "a number of seconds, 1 or more"),
    Key::new("mirror", "path of the mirror file").path("MIRROR"),
    Key::new("statuses", "statuses in order; named groups are final: `Hired: Accepted`").checked(
        |text| ValueOrder::parse(text).is_some(),
        "statuses in their order, such as `New, On hold; Hired: Accepted, Started`",
    ),
];

const TOKEN_FILE: &str = "TOKEN_FILE";

pub(crate) fn unknown_setting(name: &str, known: &[&str]) -> Failure {
    let failure = Failure::unknown("setting", name, known);
    let hint = match name {
        "token-for" => "then log in again: `auth login` stores the service with the token",
        "token-keyring" => {
            "to use a keyring, set `token-command` to a program that prints the token"
        }
        _ => return failure,
    };
    failure.hint(format!("remove it; {hint}"))
}

/// Checks a profile name: letters, digits, `-` and `_`, so that it is a plain TOML key and never a path.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if begins && name.len() <= 64 && name.bytes().all(plain) {
        return Ok(());
    }
    Err(Failure::usage(format!("invalid profile name `{name}`"))
        .hint("use up to 64 letters, digits, `-` and `_`, beginning with a letter or digit"))
}

/// Returns the text of a setting in the file; `None` for a list or a table.
pub(crate) fn shown_value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Boolean(is_on) => Some(is_on.value().to_string()),
        _ => None,
    }
}

/// Splits a program and its arguments like a shell. Returns `None` if there is no program, or a quote is not closed.
fn words(text: &str) -> Option<Vec<String>> {
    // In a Windows path, a backslash is a plain character.
    let text = if cfg!(windows) { &text.replace('\\', "\\\\") } else { text };
    shlex::split(text).filter(|words| !words.is_empty())
}

fn absolute(text: &str) -> Result<String, Failure> {
    let unusable = |cause: &dyn fmt::Display| {
        Failure::usage(format!("cannot make `{text}` an absolute path")).because(cause)
    };
    let path = path::absolute(text).map_err(|error| unusable(&error))?;
    path.into_os_string().into_string().map_err(|_same| unusable(&"it is not UTF-8"))
}

/// Refuses to send a profile's token to a service that it does not belong to. It belongs to the service that
/// `auth login` stored it for, or else to the service of the profile's base URL. Tokens from flags and variables are
/// meant for this call, so they may be sent anywhere.
pub(crate) fn check_binding(settings: &Settings, from: &TokenFrom) -> Result<(), Failure> {
    let Settings { program, profile, file, .. } = settings;
    let name = profile.value.as_str();
    let bound = match from {
        TokenFrom::Login { .. } => stored_token(program, name)?.map(|stored| stored.service),
        TokenFrom::File(path) if path.origin != of_profile(name) => return Ok(()),
        TokenFrom::Command(_) | TokenFrom::File(_) => {
            file.get(name, "base-url").and_then(|url| origin(&url))
        }
        TokenFrom::Stdin | TokenFrom::Variable(_) | TokenFrom::Demo => return Ok(()),
    };
    // The client refuses a base URL that has no origin.
    let Some(target) = settings.base_url().and_then(|url| origin(&url.value)) else {
        return Ok(());
    };
    let own = program.name;
    let (state, advice) = match bound {
        Some(bound) if bound == target => return Ok(()),
        Some(bound) => (
            format!("is for {bound}"),
            format!(
                "log in to {target} with another profile: `{own} --profile NAME auth login --base-url {target}`"
            ),
        ),
        None => (
            "is not bound to a service".to_owned(),
            format!(
                "if the token is for this service, run `{own} --profile {name} config set base-url {target}`"
            ),
        ),
    };
    let text = format!("the token of profile {name} {state}, so it was not sent to {target}");
    let variable = program.variable("TOKEN");
    let hint = format!("{advice}; for one command, use --token-file, --token-stdin or {variable}");
    Err(Failure::usage(text).hint(hint))
}

/// Returns the origin of a URL, such as `https://photos.example.com` or `http://localhost:8080`: in lower case, and
/// without the default port. `None` if the URL is invalid.
pub(crate) fn origin(url: &str) -> Option<String> {
    let url: Uri = url.parse().ok()?;
    let (scheme, host) = (url.scheme_str()?.to_ascii_lowercase(), url.host()?.to_ascii_lowercase());
    Some(match (scheme.as_str(), url.port_u16()) {
        (_, None) | ("http", Some(80)) | ("https", Some(443)) => format!("{scheme}://{host}"),
        (_, Some(port)) => format!("{scheme}://{host}:{port}"),
    })
}

/// Replaces a URL's password and parameters with `***`.
pub(crate) fn redacted(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    // A password may contain any character, even `/` or `?`: the host begins after the last `@`.
    let (user, place) = rest.rsplit_once('@').unzip();
    let user = user.map(|user| match user.split_once(':') {
        Some((name, _)) => format!("{name}:***@"),
        None => format!("{user}@"),
    });
    let place = place.unwrap_or(rest);
    let place =
        place.split_once('?').map_or_else(|| place.to_owned(), |(one, _)| format!("{one}?***"));
    format!("{scheme}://{}{place}", user.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Key, ValueOrder, check_name, origin, redacted, words};
    use crate::failure::Failure;

    #[test]
    fn parts_are_values_in_their_order_or_named_groups() {
        let order = ValueOrder::parse("New, On hold; Hired: Accepted ,Started").unwrap();
        assert_eq!(order.groups().collect::<Vec<_>>(), ["Hired"]);
        assert_eq!(order.group_of("Started"), Some("Hired"));
        assert_eq!((order.group_of("New"), order.group_of("hired")), (None, None));
        let all = ["New", "On hold", "Accepted", "Started", "Rejected"];
        assert_eq!(order.with(&["Rejected", "New"]), all);
        for wrong in ["", "New,", "New;", ": Hired", "Hired:", "New;;Hired"] {
            assert_eq!(ValueOrder::parse(wrong), None, "{wrong}");
        }
    }

    fn read(key: &str, text: &str) -> Result<String, Failure> {
        Key::find(key)?.parse(text)
    }

    #[cfg(unix)]
    #[test]
    fn a_command_is_split_as_in_a_shell() {
        let words = words(r#"sh -c "echo 'a b'" \$x ''"#).unwrap();
        assert_eq!(words, ["sh", "-c", "echo 'a b'", "$x", ""]);
        let same = "sh -c 'echo x'";
        assert_eq!(read("token-command", same).unwrap(), same);
        for wrong in ["", " ", "sh -c 'echo", "x \\"] {
            assert!(read("token-command", wrong).is_err(), "{wrong:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_stored_as_absolute() {
        assert_eq!(read("token-file", "/run/token").unwrap(), "/run/token");
        let here = std::env::current_dir().unwrap();
        assert_eq!(read("token-file", "tok").unwrap(), here.join("tok").to_str().unwrap());
        assert!(read("token-file", "").is_err());
    }

    #[test]
    fn invalid_values_are_refused() {
        assert_eq!(read("timeout", "120").unwrap(), "120");
        assert_eq!(read("allow-insecure-http", "true").unwrap(), "true");
        for (key, wrong) in [
            ("timeout", "0"),
            ("timeout", "-1"),
            ("timeout", "30s"),
            ("allow-insecure-http", "yes"),
            ("base-url", ""),
            ("base-ulr", "x"),
        ] {
            assert!(read(key, wrong).is_err(), "{key} {wrong}");
        }
    }

    #[test]
    fn profile_names_are_plain_keys_and_never_paths() {
        for good in ["default", "a", "7", "Work_2-b", &"x".repeat(64)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        let long = "x".repeat(65);
        let bad = r#"|.|..|../x|a/b|a\b|a.b|-a|_a|a b|é|~|$HOME|a:b|a*|%2e%2e|a]|"|'|a=b|#"#;
        for bad in bad.split('|').chain(["a\0", "a\n", "\u{ff0f}", "\u{202e}a", &long]) {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        for (url, expected) in [
            ("https://h.example", Some("https://h.example")),
            ("HTTPS://H.Example:443/a/b", Some("https://h.example")),
            ("http://h.example:80", Some("http://h.example")),
            ("https://h.example:80", Some("https://h.example:80")),
            ("http://[::1]:8080/x", Some("http://[::1]:8080")),
            ("h.example", None),
            ("/x", None),
            ("nonsense", None),
            ("", None),
        ] {
            assert_eq!(origin(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn no_password_is_shown() {
        for (text, expected) in [
            ("mirror.db", "mirror.db"),
            ("postgres://db/team#photos", "postgres://db/team#photos"),
            ("postgres://anna@db/team", "postgres://anna@db/team"),
            ("postgres://anna:geheim@db:5432/team#x", "postgres://anna:***@db:5432/team#x"),
            ("postgres://anna:ge/h?e@im@db/team", "postgres://anna:***@db/team"),
            ("postgres://db/t?user=a&password=geheim", "postgres://db/t?***"),
            ("postgres://a@db/t?sslpassword=geheim&a=b", "postgres://a@db/t?***"),
            ("mysql://anna:geheim@db/team", "mysql://anna:***@db/team"),
        ] {
            assert_eq!(redacted(text), expected);
        }
    }
}
