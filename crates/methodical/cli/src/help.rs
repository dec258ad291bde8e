//! The parts of the help that depend on the program and its service.

use clap::Command;

use crate::name::{Name, Variable};
use crate::operation_commands::Example;
use crate::program::Program;

/// Replaces the placeholders in a text of the help.
pub(crate) fn fill(text: &str, program: &Program, example: Example) -> String {
    let Example { command, method, fields } = example;
    let contract = program.contract;
    let mut text = text
        .replace("{PROGRAM}", &program.name.prefix())
        .replace("{program}", program.name.as_str())
        .replace("{command}", command)
        .replace("{page}", &command.replace(' ', "-"))
        .replace("{method}", method)
        .replace("{extensions}", &program.formats.extensions())
        .replace("{fields}", fields);
    if text.contains("{api-examples}") {
        text = text.replace("{api-examples}", &api_examples(program, method));
    }
    match contract {
        Some(contract) => text
            .replace("{requests}", &contract.requests.to_string())
            .replace("{reference}", contract.reference),
        None => text,
    }
}

/// Returns the end of the short help.
pub(crate) fn short(program: &Program, example: Example) -> String {
    let name = program.name;
    let demo = program.demo.map(|demo| demo.examples.first().unwrap_or(&example.command));
    let demo = demo.map(|command| format!("--demo {command}"));
    let login = format!("auth login --base-url https://{name}.example.com");
    let first = program.examples.first().unwrap_or(&example.command);
    let examples = demo.iter().map(String::as_str).chain([&*login, first]);
    format!(
        "Examples:\n{}\n\n{}Flags of a command: `{name} COMMAND -h`. Everything: `{name} --help`",
        lines(name, examples),
        common_options(name)
    )
}

/// Turns the examples of the commands of the service, which do not name the program, into sections of their help.
pub(crate) fn with_examples(command: Command, name: Name) -> Command {
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let command = if examples.is_empty() {
        command
    } else {
        command.after_help(format!("Examples:\n{}", lines(name, examples.lines())))
    };
    command.mut_subcommands(|one| with_examples(one, name))
}

/// Adds to the short help of a command and its subcommands where the common options are explained.
pub(crate) fn with_common_options(command: Command, name: Name) -> Command {
    let own = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let gap = if own.is_empty() { "" } else { "\n\n" };
    let short = format!("{own}{gap}{}", common_options(name));
    let command = command.after_help(short).after_long_help(own);
    command.mut_subcommands(|one| with_common_options(one, name))
}

fn common_options(name: Name) -> String {
    format!("Common options: {}\n", name.command("help options"))
}

/// Returns the end of the long help.
pub(crate) fn long(program: &Program, example: Example) -> String {
    let demo = program.demo.map(|demo| demo.more_examples);
    let name = program.name;
    let [token, file] = [Variable::Token, Variable::TokenFile].map(|one| one.of(name));
    format!(
        "\
{}{}

Access token, first source found wins:
  --token-file FILE, --token-stdin
  {token}, {file}
  token-command, then token-file of the profile
  the token stored by {}: in the keyring, or in a file that only you can read

Settings, first source found wins ({} shows which):
  the flag
  the environment
  the profile

{}
{}",
        sample_data(name, demo, example),
        examples(program, example),
        name.command("auth login"),
        name.command("config list --origin"),
        environment(name),
        exit_codes()
    )
}

fn sample_data(name: Name, given: Option<&[&str]>, example: Example) -> String {
    let Some(given) = given else { return String::new() };
    let own = [example.command];
    let given = if given.is_empty() { &own } else { given };
    let given = given.iter().map(|one| format!("--demo {one}"));
    format!("With sample data:\n{}\n\n", lines(name, given))
}

fn examples(program: &Program, example: Example) -> String {
    let name = program.name;
    let login = format!("auth login --base-url https://{name}.example.com");
    let file = if cfg!(feature = "xlsx") { "records.xlsx" } else { "records.csv" };
    let own = [example.command, &format!("{} --output-file {file}", example.command)];
    let given = if program.examples.is_empty() { &own } else { program.examples };
    format!("Examples:\n{}", lines(name, [&*login].iter().chain(given)))
}

fn api_examples(program: &Program, method: &str) -> String {
    let own = [method, &format!("{method} --include")];
    let given = if program.api_examples.is_empty() { &own } else { program.api_examples };
    let name = program.name;
    lines(name, given.iter().map(|one| format!("api {one}")))
}

fn lines<T: AsRef<str>>(name: Name, examples: impl Iterator<Item = T>) -> String {
    let lines: Vec<_> = examples.map(|one| format!("  {name} {}", one.as_ref())).collect();
    lines.join("\n")
}

/// Returns the list of environment variables.
pub(crate) fn environment(name: Name) -> String {
    let width = Variable::TokenFile.of(name).len();
    let line = |variable: &str, text: &str| format!("  {variable:width$}  {text}\n");
    let own = |variable: Variable| line(&variable.of(name), meaning(variable));
    let [service @ .., terminal] = Variable::ALL;
    let has = |variable: &Variable| cfg!(feature = "mirror") || *variable != Variable::Mirror;
    let service: String = service.into_iter().filter(has).map(own).collect();
    let proxies = line("", "proxy for each scheme, and hosts to call directly");
    let colours = line("NO_COLOR", "no colours");
    let ci = line("CI", "no progress line and no pager");
    format!(
        "Environment:\n{service}  HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY\n{proxies}{}{colours}{ci}",
        own(terminal)
    )
}

fn meaning(variable: Variable) -> &'static str {
    match variable {
        Variable::BaseUrl => "base URL of the service",
        Variable::Profile => "profile",
        Variable::Token => "access token",
        Variable::TokenFile => "file that contains the access token",
        Variable::Mirror => "mirror: a file",
        Variable::Pager => "pager for long output on a terminal (or PAGER); default: less",
        Variable::ForceTty => "print as on a terminal with this number of columns",
    }
}

/// Returns the list of exit codes.
pub(crate) fn exit_codes() -> String {
    let mirror = if cfg!(feature = "mirror") { MIRROR_EXIT_CODES } else { ALARM_EXIT_CODE };
    format!("{EXIT_CODES}\n{mirror}{SIGNAL_EXIT_CODES}")
}

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    the output could not be written, for example because the disk is full
  2    invalid usage or configuration, or no access token
  3    not authorised
  4    network or TLS error, timeout, or the service was overloaded or failing; retry later
  5    the service or an event receiver refused a request or failed, or its response is unusable
  6    success, but some records were skipped, or values left out of XLSX; standard error lists them";

const MIRROR_EXIT_CODES: &str =
    "  7    the mirror refused a list because too many records are missing from it; nothing was changed
  8    an amount is below --below, or the mirror is older than --max-age
  9    another process is syncing the mirror, or delivering its changes
  10   a check cannot judge: the mirror has too few samples of an amount
  11   a record was erased from a mirror, but its log still has the bytes
";

const ALARM_EXIT_CODE: &str = "  8    an amount is below --below\n";

const SIGNAL_EXIT_CODES: &str = "  129  hung up: the terminal was closed
  130  interrupted: Ctrl-C
  143  terminated: by `kill`, or by the system that runs the program";
