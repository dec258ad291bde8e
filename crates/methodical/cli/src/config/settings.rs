//! The settings in force: each from a flag, the environment or the profile.

use std::env;
use std::path::PathBuf;

use crate::config::file::ConfigFile;
use crate::config::names::check_name;
use crate::config::origin::{Origin, Setting, TokenFrom};
use crate::config::tokens;
use crate::config::variable::setting;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::name::{Name, Variable};
use crate::suggest::closest;

/// The settings in force.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) program: Name,
    pub(crate) profile: Setting<String>,
    pub(crate) base_url: Option<Setting<String>>,
    pub(crate) token: Option<TokenFrom>,
    pub(crate) allow_insecure_http: Setting<bool>,
    pub(crate) timeout: Option<Setting<u64>>,
    /// Where the mirror is: a file, or the URL of a database.
    pub(crate) mirror: Option<Setting<String>>,
    /// The settings file with all profiles.
    pub(crate) file: ConfigFile,
}

impl Settings {
    /// Combines flags, environment and profile, in this order of precedence.
    pub(crate) fn of(invocation: &Invocation) -> Result<Self, Failure> {
        let Invocation { service: flags, call, program, .. } = invocation;
        let program = program.name;
        let file = if call.demo { ConfigFile::empty(program) } else { ConfigFile::read(program)? };
        let profile = profile(invocation, &file)?;
        let given = |key: &str| file.get(&profile.value, key);
        let from = || Origin::Profile(profile.value.clone());
        let base_url = first([
            flags.base_url.clone().map(|url| (url, Origin::Flag("--base-url"))),
            variable(Variable::BaseUrl, program)?,
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
        // The sample service is another source than the mirror of an account.
        let mirror = if call.demo { None } else { variable(Variable::Mirror, program)? };
        let mirror = first([mirror, given("mirror").map(|place| (place, from()))]);
        let token = token(invocation, &file, &profile.value)?;
        Ok(Self { program, profile, base_url, token, allow_insecure_http, timeout, mirror, file })
    }

    /// Does the same, but fails for an unknown profile: a mistyped name must not select another account.
    pub(crate) fn of_known(invocation: &Invocation) -> Result<Self, Failure> {
        let settings = Self::of(invocation)?;
        let program = settings.program;
        let (profile, file) = (&settings.profile, &settings.file);
        let name = &profile.value;
        if invocation.call.demo
            || profile.origin == Origin::Default
            || file.profiles().any(|known| known == name)
            || tokens::hold(program, name)
        {
            return Ok(settings);
        }
        Err(unknown_profile(program, name, &file.profiles().collect::<Vec<_>>()))
    }
}

/// Returns the failure for the name of a profile that does not exist.
pub(crate) fn unknown_profile(program: Name, name: &str, known: &[&str]) -> Failure {
    let failure = Failure::usage(format!("unknown profile `{name}`"));
    match closest(name, known.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => {
            failure.hint(format!("`{program} --profile {name} config set base-url URL` creates it"))
        }
    }
}

fn first<T, const N: usize>(given: [Option<(T, Origin)>; N]) -> Option<Setting<T>> {
    let (value, origin) = given.into_iter().flatten().next()?;
    Some(Setting { value, origin })
}

/// Returns the value of a variable.
fn variable(variable: Variable, program: Name) -> Result<Option<(String, Origin)>, Failure> {
    let name = variable.of(program);
    Ok(setting(&name)?.map(|value| (value, Origin::Variable(name))))
}

/// Returns the profile, which may not exist yet.
pub(crate) fn profile(
    invocation: &Invocation,
    file: &ConfigFile,
) -> Result<Setting<String>, Failure> {
    let named = first([
        invocation.service.profile.clone().map(|name| (name, Origin::Flag("--profile"))),
        variable(Variable::Profile, invocation.program.name)?,
        file.default_profile().map(|name| (name.to_owned(), Origin::DefaultProfile)),
    ]);
    let profile = named
        .unwrap_or_else(|| Setting { value: DEFAULT_PROFILE.to_owned(), origin: Origin::Default });
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
    let Invocation { service: flags, call, program, .. } = invocation;
    let program = program.name;
    let [variable, file_variable] =
        [Variable::Token, Variable::TokenFile].map(|one| one.of(program));
    if call.demo {
        return Ok(Some(TokenFrom::Demo));
    }
    let origin = Origin::Profile(profile.to_owned());
    Ok(Some(if flags.configured_token.is_some() {
        TokenFrom::Configured
    } else if flags.token_stdin {
        TokenFrom::Stdin
    } else if let Some(path) = &flags.token_file {
        if path.as_os_str() == "-" {
            TokenFrom::Stdin
        } else {
            from_file(path.clone(), Origin::Flag("--token-file"))
        }
    } else if setting(&variable)?.is_some() {
        TokenFrom::Variable(variable)
    } else if let Some(path) = env::var_os(&file_variable).filter(|path| !path.is_empty()) {
        from_file(path.into(), Origin::Variable(file_variable))
    } else if let Some(command) = file.words(profile, "token-command") {
        TokenFrom::Command(Setting { value: command, origin })
    } else if let Some(path) = file.get(profile, "token-file") {
        from_file(path.into(), origin)
    } else if file.is_on(profile, "token-keyring") {
        TokenFrom::Keyring { profile: profile.to_owned() }
    } else if tokens::hold(program, profile) {
        TokenFrom::Login { program, profile: profile.to_owned() }
    } else {
        return Ok(None);
    }))
}

/// Name of the profile if none is given.
pub(crate) const DEFAULT_PROFILE: &str = "default";
