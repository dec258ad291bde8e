//! `auth`: the access token of a profile.

use std::io::{self, IsTerminal as _};

use clap::{Args, Subcommand};
use methodical_client::AccessToken;
use methodical_client::model::{Auth, Operation, Service};
use serde::Serialize;

use crate::config::file::ConfigFile;
use crate::config::flags::{CallFlags, ServiceFlags};
use crate::config::folder::Lock;
use crate::config::keyring::Keyring;
use crate::config::origin::{Origin, TokenFrom};
use crate::config::settings::Settings;
use crate::config::variable::setting;
use crate::config::web_origin::origin;
use crate::config::{folder, token_binding, tokens};
use crate::connect::{
    ask_for_token, check_base_url, check_token_file, from_stdin, no_base_url, parsed_token,
    with_token,
};
use crate::exit::Exit;
use crate::explain::{Context, explain};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::name::{Name, Variable};
use crate::operation_commands::OperationCommands;
use crate::output::printer::Printer;
use crate::output::schema::Schema;
use crate::program::Program;
use crate::session::Session;

/// A command about the token.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum AuthCommand {
    /// Store a token for the profile, after the service has accepted it.
    ///
    /// The token is typed in without being shown, or read from --token-stdin, --token-file or `{PROGRAM}_TOKEN`. It is stored
    /// in a file that only you can read, or with --keyring in the keyring of the operating system. The profile also
    /// remembers --base-url and --allow-insecure-http. A stored token is only sent to the service that it was stored for.
    #[command(after_help = "\
Examples:
  {program} auth login --base-url https://{program}.example.com
  {program} auth login --keyring
  pass show {program} | {program} --profile work auth login --token-stdin")]
    Login(LoginFlags),
    /// Show where the token comes from, and whether the service accepts it. Never shows the token.
    Status,
    /// Remove the stored token of the profile.
    Logout,
}

/// The flags of `auth login`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LoginFlags {
    /// Store the token in the keyring of the operating system: Keychain, Credential Manager, or Secret Service.
    ///
    /// Needs a build with the feature `keyring`. The profile remembers it as `token-keyring = true`.
    #[arg(long)]
    keyring: bool,

    /// Store the token without checking it with the service.
    #[arg(long)]
    unchecked: bool,
}

/// The state of the token, without the token itself.
#[derive(Serialize)]
struct Status {
    profile: String,
    base_url: Option<String>,
    token: Option<String>,
    /// `None` if the check failed for a reason other than the token.
    accepted: Option<bool>,
}

/// Runs the command.
pub(crate) fn run<C: OperationCommands>(
    command: AuthCommand,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let probe = C::probe();
    if invocation.call.demo && !matches!(command, AuthCommand::Status) {
        return Err(Failure::usage(
            "cannot log in or out with --demo: the sample service creates a token for each command",
        ));
    }
    match command {
        AuthCommand::Login(flags) => login::<C::Service, _>(flags, invocation, &probe),
        AuthCommand::Status => status::<C::Service, _>(invocation, &probe),
        AuthCommand::Logout => logout(invocation),
    }
}

/// Reads a token, checks it with the service, and stores it.
fn login<S: Service, O: Operation<Service = S>>(
    flags: LoginFlags,
    invocation: &Invocation,
    probe: &O,
) -> Result<(), Failure> {
    let &Invocation { program: Program { name, .. }, ref service, call, screen, .. } = invocation;
    if call.dry_run {
        Session::<S>::open(invocation)?.print_dry_run(probe)?;
        return Ok(());
    }
    if S::AUTH == Auth::None {
        return Err(Failure::usage("cannot log in: the service has no authentication"));
    }
    let settings = Settings::of(invocation)?;
    let profile = settings.profile.value.as_str();
    // If the token cannot be stored, fail before asking for it.
    settings.file.path()?;
    let keyring = if flags.keyring { Some(Keyring::open(invocation)?) } else { None };
    if settings.base_url.is_none() && !flags.unchecked {
        return Err(
            no_base_url(invocation).hint("--unchecked stores the token without asking the service")
        );
    }
    // Before the prompt, so that a URL that would be refused costs no typing of a secret.
    match &settings.base_url {
        Some(url) if flags.unchecked => check_base_url::<S>(&url.value)?,
        Some(_) => drop(with_token::<S>(invocation, &settings, AccessToken::new("unused")?)?),
        None => {}
    }
    let (text, from) = given(name, &settings)?;
    let text = text.trim();
    let token = parsed_token::<S>(text)
        .map_err(|error| Failure::from(error).hint(format!("the token comes from {from}")))?;
    if !flags.unchecked {
        let client = with_token::<S>(invocation, &settings, token)?;
        client.send(probe).map_err(|error| refused(error, &from))?;
    }
    let lock = Lock::take(name)?;
    let mut file = ConfigFile::read(name)?;
    let bound = settings.base_url.as_ref().and_then(|url| origin(&url.value));
    if file.get(profile, token_binding::KEY) != bound {
        rebind(invocation, &lock, &mut file, profile, bound.as_deref(), keyring.as_ref())?;
    }
    let place = if let Some(keyring) = keyring {
        keyring.store(profile, text)?;
        file.set(profile, "token-keyring", "true")?;
        // A secret is stored in one place only.
        tokens::remove(&lock, name, profile)?;
        "the keyring".to_owned()
    } else {
        tokens::store(&lock, name, profile, text)?;
        if file.is_on(profile, "token-keyring") {
            forget_in_keyring(invocation, profile);
            file.unset(profile, "token-keyring");
        }
        tokens::path(name)?.display().to_string()
    };
    // The next command needs the settings that the token was checked with.
    if let Some(url) = &service.base_url {
        file.set(profile, "base-url", url)?;
    }
    if service.allow_insecure_http {
        file.set(profile, "allow-insecure-http", "true")?;
    }
    file.save(&lock)?;
    drop(lock);
    let done = if flags.unchecked { "stored" } else { "checked and stored" };
    screen.note(&format!("{done} the token of profile {profile} in {place}"));
    // A source that takes precedence over the stored token would be a surprise in the next command.
    match Settings::of(&without_token(invocation))?.token {
        Some(TokenFrom::Login { .. } | TokenFrom::Keyring { .. }) | None => {}
        Some(other) => screen.warn(&format!("commands still use another token, from {other}")),
    }
    Ok(())
}

/// Binds the profile to the service of the new token. Removes the old token first: if storing the new one fails, no token
/// must be bound to a service that is not its own.
fn rebind(
    invocation: &Invocation,
    lock: &Lock,
    file: &mut ConfigFile,
    profile: &str,
    bound: Option<&str>,
    keyring: Option<&Keyring>,
) -> Result<(), Failure> {
    tokens::remove(lock, invocation.program.name, profile)?;
    if let Some(keyring) = keyring {
        keyring.remove(profile)?;
    } else if file.unset(profile, "token-keyring") {
        forget_in_keyring(invocation, profile);
    }
    match bound {
        Some(bound) => file.set(profile, token_binding::KEY, bound)?,
        None => {
            file.unset(profile, token_binding::KEY);
        }
    }
    file.save(lock)
}

/// Reads the token to store. Returns it, and where it comes from.
fn given(program: Name, settings: &Settings) -> Result<(String, String), Failure> {
    let text = match &settings.token {
        Some(TokenFrom::Stdin) => from_stdin()?,
        // The token file of the profile is in force without a login.
        Some(TokenFrom::File(file)) if !matches!(file.origin, Origin::Profile(_)) => {
            check_token_file(file)?;
            folder::read(&file.value)?.unwrap_or_default()
        }
        Some(TokenFrom::Variable(name)) => setting(name)?.unwrap_or_default(),
        _ => return Ok((prompt(program, &settings.profile.value)?, "the keyboard".to_owned())),
    };
    Ok((text, settings.token.as_ref().map(ToString::to_string).unwrap_or_default()))
}

fn prompt(program: Name, profile: &str) -> Result<String, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage("cannot ask for the token: standard input is not a terminal")
            .hint(format!("use --token-stdin, --token-file or {}", Variable::Token.of(program))));
    }
    ask_for_token(&format!("Access token of profile {profile}"))
}

/// Explains why the token was not accepted, and that nothing was stored.
fn refused(error: methodical_client::Error, from: &str) -> Failure {
    let failure = Failure::from(error);
    let hint = match failure.exit() {
        Exit::NotAuthorised => format!("nothing was stored; the token comes from {from}"),
        _ => "nothing was stored; --unchecked stores the token without checking it".to_owned(),
    };
    failure.hint(hint)
}

/// Prints where the token comes from, and whether the service accepts it.
fn status<S: Service, O: Operation<Service = S>>(
    invocation: &Invocation,
    probe: &O,
) -> Result<(), Failure> {
    let session = Session::<S>::open(invocation)?;
    if session.print_dry_run(probe)? {
        return Ok(());
    }
    let mut printer = Printer::open(invocation, &Schema::of_program(FIELDS, true))?;
    let settings = &session.settings;
    let raw = invocation.command(&format!("api {} -o raw", O::METHOD));
    let (token, base_url) = (settings.token.as_ref(), settings.base_url.as_ref());
    let context = Context { invocation, token, base_url, raw: &raw };
    let checked = session.client.send(probe).map_err(|error| explain(&error, context));
    let accepted = match &checked {
        Ok(_) => Some(true),
        Err(failure) if failure.exit() == Exit::NotAuthorised => Some(false),
        Err(_) => None,
    };
    printer.print(&Status {
        profile: settings.profile.value.clone(),
        base_url: settings.base_url.as_ref().map(|url| url.value.clone()),
        token: settings.token.as_ref().map(ToString::to_string),
        accepted,
    })?;
    printer.finish()?;
    checked.map(drop)
}

/// Removes every stored token of the profile.
fn logout(invocation: &Invocation) -> Result<(), Failure> {
    let &Invocation {
        program: Program { name, .. }, call: CallFlags { dry_run, .. }, screen, ..
    } = invocation;
    let lock = if dry_run { None } else { Some(Lock::take(name)?) };
    let Settings { profile, mut file, .. } = Settings::of_known(invocation)?;
    let profile = profile.value;
    let (places, done, nothing) = match &lock {
        None => (places(name, &file, &profile)?, "would remove", "would be"),
        Some(lock) => (remove(invocation, lock, &mut file, &profile)?, "removed", "was"),
    };
    if places.is_empty() {
        screen.note(&format!("profile {profile} has no stored token: nothing {nothing} removed"));
    } else {
        let places = places.join(" and ");
        screen.note(&format!("{done} the token of profile {profile} from {places}"));
    }
    if dry_run {
        return Ok(());
    }
    if let Some(other) = Settings::of(&without_token(invocation))?.token {
        screen.warn(&format!("commands still use the token from {other}"));
    }
    Ok(())
}

/// Returns where the profile has a stored token, without opening the keyring.
fn places(program: Name, file: &ConfigFile, profile: &str) -> Result<Vec<String>, Failure> {
    let mut places = Vec::new();
    if file.is_on(profile, "token-keyring") {
        places.push("the keyring".to_owned());
    }
    if tokens::read(program, profile)?.is_some() {
        places.push(tokens::path(program)?.display().to_string());
    }
    Ok(places)
}

/// Removes the stored token. Returns the places that had it.
fn remove(
    invocation: &Invocation,
    lock: &Lock,
    file: &mut ConfigFile,
    profile: &str,
) -> Result<Vec<String>, Failure> {
    let program = invocation.program.name;
    let mut places = Vec::new();
    if file.is_on(profile, "token-keyring") {
        if Keyring::open(invocation)?.remove(profile)? {
            places.push("the keyring".to_owned());
        }
        file.unset(profile, "token-keyring");
    }
    if tokens::remove(lock, program, profile)? {
        places.push(tokens::path(program)?.display().to_string());
    }
    file.unset(profile, token_binding::KEY);
    file.save(lock)?;
    Ok(places)
}

/// Removes the previous token of the profile from the keyring. The login has replaced it, so this may fail.
fn forget_in_keyring(invocation: &Invocation, profile: &str) {
    let screen = invocation.screen;
    if Keyring::open(invocation).and_then(|keyring| keyring.remove(profile)).is_err() {
        screen.warn("cannot remove the previous token of this profile from the keyring");
    }
}

/// Returns the flags as the next command has them, without those that pass a token.
fn without_token(invocation: &Invocation) -> Invocation {
    let service =
        ServiceFlags { token_file: None, token_stdin: false, ..invocation.service.clone() };
    Invocation { service, ..invocation.clone() }
}

const FIELDS: &[&str] = &["profile", "base_url", "token", "accepted"];
