//! One invocation of the program, and its commands. The commands for the service's operations are generated.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::NonEmptyStringValueParser;
use clap::{Subcommand, ValueHint};
use clap_complete::Shell;
use methodical_mirror::Cursor;
use methodical_mirror::model::tables::Mirrored;

use crate::args::{self, Flags};
use crate::commands::profile::{AuthCommand, ConfigCommand, ProfileCommand};
use crate::connector::{self, TapFlags};
use crate::failure::{Exit, Failure};
use crate::mirror::assistant;
#[cfg(feature = "dashboard")]
use crate::mirror::dashboard::{self, DashboardFlags};
use crate::mirror::open::{Asked, duration};
use crate::mirror::placements::{self, PlacementsCommand, Records, ReportFlags};
use crate::mirror::sync::{self, SyncFlags, WatchFlags};
use crate::mirror::upkeep::{self, ConsumersFlags, ForgetFlags, PurgeFlags};
use crate::output::OutputFlags;
use crate::program::{OperationCommands, Program};
use crate::screen::{self, Screen};
use crate::session::{self, Session};
use crate::settings::{MirrorFlags, ServiceFlags, redacted};

mod profile;

/// Runs a program with the process's command line. `C` contains the commands that call the service's operations.
///
/// Call this function once, in `main`, which must not be `async`: it handles the process's signals and runs a tokio
/// runtime. After a signal, it exits the process. Otherwise, it returns the exit code, which scripts may rely on;
/// `--help` lists all exit codes.
///
/// # Examples
///
/// ```no_run
#[doc = include_str!("../doctests/photos.txt")]
/// use std::process::ExitCode;
///
/// use methodical_cli::{Program, run};
///
/// fn main() -> ExitCode {
///     run::<Commands>(&Program::new("photos", env!("CARGO_PKG_VERSION")))
/// }
/// ```
pub fn run<C: OperationCommands>(program: &Program) -> ExitCode {
    run_embedded::<C>(program, &env::args_os().collect::<Vec<_>>()).into()
}

/// Like [`run`], but takes the arguments from the caller, so that another program, such as a Python interpreter, can
/// embed it. The first argument is the program's name. It also handles signals, and exits the process after one.
pub fn run_embedded<C: OperationCommands>(program: &Program, arguments: &[OsString]) -> u8 {
    let definition = args::definition::<C>(program);
    let (screen, done) = match args::parse::<C>(program, definition.clone(), arguments) {
        Ok((Flags { output, service, mirror }, mut command)) => {
            let screen = Screen::look(program, output.quiet);
            screen::watch(screen);
            let mut invocation = Invocation { program: *program, service, mirror, output, screen };
            let resolved = || {
                if args::look_up_titles::<C>(&invocation)? {
                    let again = args::parse::<C>(program, definition.clone(), arguments)?;
                    (command, invocation.mirror) = (again.1, again.0.mirror);
                }
                dispatch(command, &invocation, definition)
            };
            (screen, resolved())
        }
        Err(failure) => (Screen::look(program, false), Err(failure)),
    };
    match done {
        Ok(()) => Exit::Done.code(),
        Err(failure) => {
            failure.print(screen);
            failure.exit().code()
        }
    }
}

/// One invocation of the program: its description, the flags that every command takes, and its output streams.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    pub(crate) program: Program,
    pub(crate) service: ServiceFlags,
    pub(crate) mirror: MirrorFlags,
    pub(crate) output: OutputFlags,
    pub(crate) screen: Screen,
}

/// Quotes a word for a shell, if necessary.
pub(crate) fn quoted(word: &str) -> String {
    // Only a NUL cannot be quoted, and no argument can contain one.
    shlex::try_quote(word).map_or_else(|_nul| word.to_owned(), std::borrow::Cow::into_owned)
}

impl Invocation {
    /// Returns one of the program's commands for a message. It repeats the flags that chose the profile, the service
    /// and the token, because the command could otherwise act on another account.
    pub(crate) fn command(&self, arguments: &str) -> String {
        let ServiceFlags { base_url, profile, token_file, .. } = &self.service;
        let switch = |is_on: bool| is_on.then(String::new);
        let value = |text: &str| format!("{} ", quoted(text));
        let flags = [
            ("--demo", switch(self.service.demo)),
            ("--allow-insecure-http", switch(self.service.allow_insecure_http)),
            ("--token-stdin", switch(self.service.token_stdin)),
            ("--profile", profile.as_deref().map(value)),
            ("--base-url", base_url.as_deref().map(|url| value(&redacted(url)))),
            ("--token-file", token_file.as_ref().map(|path| value(&path.to_string_lossy()))),
        ];
        let given =
            flags.iter().filter_map(|(flag, value)| Some(format!("{flag} {}", value.as_ref()?)));
        self.program.command(&(given.collect::<String>() + arguments))
    }

    /// Fails with this message if `--demo` is given.
    pub(crate) fn refuse_demo(&self, text: &str) -> Result<(), Failure> {
        if self.service.demo { Err(Failure::usage(text)) } else { Ok(()) }
    }

    /// Fails in a dry run, for a command that changes the program's files.
    pub(crate) fn refuse_dry_run(&self) -> Result<(), Failure> {
        if self.service.dry_run {
            let text = "cannot use --dry-run: it prints requests, and cannot preview this command";
            return Err(Failure::usage(text));
        }
        Ok(())
    }

    /// In a dry run, notes what the command would do and ends the command.
    pub(crate) fn end_dry_run(&self, would: &str) -> Result<(), Failure> {
        if self.service.dry_run {
            self.screen.note(would);
            return Err(Failure::ended(Exit::Done));
        }
        Ok(())
    }
}

/// A command of the program.
#[derive(Debug, Subcommand)]
pub(crate) enum Command<C: Subcommand> {
    #[command(flatten)]
    Operation(C),
    /// Call any API method and print the raw response.
    #[command(after_help = "\
Examples:
  {program} api {method}
  {program} api {method} --jq .")]
    Api {
        /// Name of the method, such as `{method}`. It is called by GET.
        #[arg(value_name = "METHOD")]
        method: String,
        /// Parameter of the method; may be repeated.
        #[arg(short = 'f', long = "field", value_name = "NAME=VALUE", value_parser = session::pair)]
        parameters: Vec<(String, String)>,
    },
    /// Print a board: the number of records in each group, by status.
    Board,
    /// Find records that may be the same person.
    ///
    /// Such records have the same e-mail address (case does not matter), or a phone number with the same last nine
    /// digits. Each line contains the number of its set, and the fields that match.
    Duplicates,
    /// List who is where: each {member} in each {group}, with the {value} and since when.
    #[command(subcommand)]
    Placements(PlacementsCommand),
    /// Report what happened in a week, a month or another period.
    ///
    /// Counts new records, and records whose {value} changed, by {group}; new records also by source. Also shows how
    /// long records kept each {value} before they left it. Each {value} in a named group of the setting `statuses` is
    /// final, and the report counts the moves into each such group. The field `by` says what a line is about.
    #[command(after_help = "\
Examples:
  {program} report
  {program} report --month
  {program} report --since last-week --until yesterday --output-file report.xlsx")]
    Report(ReportFlags),
    /// Shows a member of a mirror: its identity.
    #[command(skip)]
    Show(String),
    /// Log in, log out, and show where the active token comes from.
    #[command(subcommand)]
    Auth(AuthCommand),
    /// Show and change settings.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check the service against its contract, with read-only requests.
    ///
    /// Each check names its source: a section of the contract or of an RFC, or a decision about a point that the
    /// contract leaves open. Open points are reported, but cannot fail without --strict. The exit code is 5 if a check
    /// fails.
    ///
    /// A table lists the failed checks; -v lists all checks. Other formats contain all checks.
    Check {
        /// Also require what {reference} does where the contract leaves a point open.
        #[arg(long)]
        strict: bool,
    },
    /// Show the mirror in a browser: its board, records, changes and amounts.
    ///
    /// Prints a link that works once, and serves the pages until you press Ctrl-C. The pages are read-only, and
    /// available only on this machine. To give colleagues access, add readers with passwords, and use --listen with
    /// --tls-certificate, or with --proxy-host and a TLS proxy.
    #[cfg(feature = "dashboard")]
    #[command(after_help = "\
Examples:
  {program} dashboard
  {program} dashboard --mask --no-open
  {program} dashboard --from mirror.db --listen 127.0.0.1:8080
  {program} dashboard reader add ana")]
    Dashboard(DashboardFlags),
    /// Print shell completions.
    #[command(after_help = "\
Examples:
  {program} completions bash > ~/.local/share/bash-completion/completions/{program}
  {program} completions zsh > ~/.zfunc/_{program}
  {program} completions fish > ~/.config/fish/completions/{program}.fish

For zsh, above compinit in ~/.zshrc:
  fpath+=(~/.zfunc)")]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the help of a command.
    #[command(after_help = "\
Topics:
  options      the options of every command
  environment  environment variables
  exit-codes   exit codes")]
    Help {
        /// Command, such as `{command}`, or a topic [default: the whole program].
        command: Vec<String>,
    },
    /// Print the manual page.
    #[command(after_help = "\
Examples:
  {program} man | man -l -
  {program} man {command} > {program}-{page}.1
  {program} man --all ~/.local/share/man/man1")]
    Man {
        /// Command, such as `{command}` [default: the whole program].
        command: Vec<String>,

        /// Write the pages of the program and of each command to this folder.
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with = "command")]
        all: Option<PathBuf>,
    },
    /// Answer an assistant from the mirror, over the Model Context Protocol.
    ///
    /// Reads requests from standard input and prints the answers, until the input ends. The tools are read-only: who is
    /// where, a {member} with its history, the board, a report, changes, and the age of the data. Without --personal,
    /// no answer contains a name, an e-mail address or another personal value.
    #[command(after_help = "\
Examples:
  {program} mcp
  {program} mcp --from mirror.db")]
    Mcp {
        /// Let the assistant read personal values too, such as names and e-mail addresses. They leave this machine if
        /// its model does not run here.
        #[arg(long)]
        personal: bool,
    },
    /// Copy the lists of the service to a file, and read what has changed.
    #[command(subcommand)]
    Mirror(MirrorCommand),
    /// List, choose and remove profiles.
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Sync the mirror, and read it as a Singer tap.
    ///
    /// The first run prints a copy of each stream. With the state that the target printed, later runs print only
    /// changes. A record that is missing or gone is printed with `_sdc_deleted_at`, its key and nulls. A record that
    /// cannot be read is skipped with a warning.
    #[command(after_help = "\
Examples:
  {program} tap --discover > catalog.json
  {program} tap --config tap.json | target-jsonl > state.jsonl
  {program} tap --config tap.json --state state.json | target-jsonl")]
    Tap(TapFlags),
    /// Sync the mirror repeatedly, and deliver each change.
    ///
    /// The receiver is a command, a URL or standard output. Each change is an event in JSON with the record as it is
    /// now. Events are delivered at least once and in order: the mirror keeps the position of the receiver. Failed
    /// deliveries are retried with a later sync.
    #[command(after_help = "\
Examples:
  {program} watch --every 5m
  {program} watch --exec './notify --team sales'
  {program} watch --once --webhook https://hooks.example.com/{program}")]
    Watch(WatchFlags),
}

/// Runs a command. `definition` has all commands and flags, for help, the manual page and completions.
fn dispatch<C: OperationCommands>(
    command: Command<C>,
    invocation: &Invocation,
    definition: clap::Command,
) -> Result<(), Failure> {
    let session = || Session::open(invocation);
    if invocation.mirror.new_since.is_some() && !matches!(command, Command::Operation(_)) {
        return Err(Failure::usage("cannot use --new-since: this command does not print a list"));
    }
    let writes = matches!(
        command,
        Command::Tap(_)
            | Command::Watch(_)
            | Command::Mirror(MirrorCommand::Sync { .. } | MirrorCommand::Restore { .. })
    );
    if writes && invocation.mirror.from.is_some() {
        let text = "cannot use --from: this command writes the mirror";
        return Err(Failure::usage(text)
            .hint("name the mirror with --to, or in the configuration of `tap`"));
    }
    let asked = || Asked::open::<C>(invocation);
    match command {
        Command::Operation(operation) => operation.run(&session()?),
        Command::Api { method, parameters } => session::api(&session()?, method, parameters),
        Command::Check { strict } => session::check::<C>(&session()?, strict),
        Command::Auth(command) => profile::auth::<C>(command, invocation),
        Command::Config(command) => profile::config::<C::Service>(command, invocation),
        Command::Completions { shell } => args::completions(shell, definition, invocation),
        Command::Help { command } => args::print_help(&command, definition, invocation),
        Command::Man { command, all } => {
            args::print_page(&command, all.as_deref(), definition, invocation)
        }
        Command::Board => placements::board(&asked()?),
        Command::Duplicates => placements::duplicates::<C>(invocation),
        Command::Placements(PlacementsCommand::List(flags)) => placements::list(&flags, &asked()?),
        Command::Report(flags) => placements::report(&flags, &asked()?),
        Command::Show(id) => placements::show(&id, &asked()?),
        #[cfg(feature = "dashboard")]
        Command::Dashboard(flags) => dashboard::run::<C::Service>(&flags, invocation),
        Command::Mirror(command) => command.run::<C::Service>(C::RECORDS, invocation),
        Command::Mcp { personal } => assistant::run::<C::Service>(personal, invocation),
        Command::Profile(command) => profile::profiles(command, invocation),
        Command::Tap(flags) => connector::run::<C::Service>(&flags, invocation),
        Command::Watch(flags) => sync::watch::<C::Service>(&flags, invocation),
    }
}

/// A command about the mirror.
#[derive(Debug, Subcommand)]
pub(crate) enum MirrorCommand {
    /// Bring the mirror up to date with the service.
    ///
    /// Reads each list once, and writes only differences. An incomplete list changes nothing. A record that is absent
    /// from a complete list is marked missing, and gone after two such lists. If too many records are missing, nothing
    /// is changed, and the exit code is 7. If some records cannot be read, the exit code is 6.
    ///
    /// No record contains its {value}; you can only filter a list by it. The sync therefore requests the records of
    /// each {group}, and those with each {value}.
    ///
    /// The counts of each table go to standard error.
    #[command(after_help = "\
Examples:
  {program} mirror sync
  {program} mirror sync --to mirror.db
  {program} mirror sync --every 15m
  {program} mirror sync --accept-missing {group}=12")]
    Sync {
        #[command(flatten)]
        flags: SyncFlags,

        /// Sync again after each TIME, such as `15m` or `1h`, until a signal ends the program.
        ///
        /// If a sync fails, the failure is reported, and the next sync follows.
        #[arg(long, value_name = "TIME", value_parser = duration)]
        every: Option<u64>,
    },
    /// Print when each table was synced, and how many records it has.
    #[command(after_help = "\
Examples:
  {program} mirror status
  {program} mirror status --max-age 1h")]
    Status {
        /// Fail with exit code 8 if a table is older than TIME, such as `90s`, `15m`, `1h` or `2d`.
        #[arg(long, value_name = "TIME", value_parser = duration)]
        max_age: Option<u64>,
    },
    /// Print the changes to the records, oldest first.
    ///
    /// Changes contain the names of changed fields, not their values. In JSON and NDJSON, each change has a cursor,
    /// which is a position in the changes: `--after` continues there.
    #[command(after_help = "\
Examples:
  {program} mirror changes
  {program} mirror changes --limit 100 -o ndjson
  {program} mirror changes --cursor")]
    Changes {
        /// Print only changes after this cursor [default: from the oldest change that is kept].
        #[arg(long, value_name = "CURSOR")]
        after: Option<Cursor>,

        /// Print only the cursor after the last change. Get it before you read the tables.
        #[arg(long, conflicts_with = "after")]
        cursor: bool,
    },
    /// List the consumers of changes, such as webhooks, with their undelivered changes.
    ///
    /// A consumer is a receiver to which `watch` delivers changes. The mirror keeps its position: the number of the
    /// last change that it received. A webhook that responds with status 410 is disabled.
    #[command(after_help = "\
Examples:
  {program} mirror consumers
  {program} mirror consumers --remove exec --yes")]
    Consumers(ConsumersFlags),
    /// Find records by text; case does not matter. Records that are gone or forgotten are not found.
    #[command(after_help = "\
Examples:
  {program} mirror search anna
  {program} mirror search anna --filter state=present -o ndjson")]
    Search {
        /// Text to find in the id or in a text field; case does not matter.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        text: String,
    },
    /// Erase a record, and prevent later syncs from adding it again.
    ///
    /// Erases its personal fields, including in the log and the free space of the file, but keeps its id. `--undo` lets
    /// a later sync add the record again. The output names backups that may still contain the record.
    #[command(after_help = "\
Examples:
  {program} mirror forget 4711
  {program} mirror forget 4711 --from mirror.db --yes
  {program} mirror forget --undo 4711")]
    Forget(ForgetFlags),
    /// Remove rows of deleted records, and old changes.
    ///
    /// Ids of forgotten records stay blocked. If a reader has not read the removed changes, its cursor is refused, and
    /// it must read the tables again.
    Purge {
        #[command(flatten)]
        flags: PurgeFlags,
        /// Do not ask for confirmation.
        #[arg(short, long)]
        yes: bool,
    },
    /// Check the mirror for damage: its database, counts, hashes and erasures.
    ///
    /// The exit code is 5 if there are findings. Each finding says what to do next.
    #[command(after_help = "\
Examples:
  {program} mirror check
  {program} mirror check -o json")]
    Check,
    /// Correct the counts, hashes and erasures that `mirror check` reports as wrong.
    ///
    /// Cursors, consumers, the history and the ids of forgotten records are kept. A damaged database is not changed.
    Rebuild,
    /// Back up the mirror to a file, even during a sync.
    #[command(after_help = "\
Examples:
  {program} mirror backup backup.db
  {program} mirror backup backup.db --replace --from mirror.db")]
    Backup {
        /// File of the backup. Only you can read it.
        file: PathBuf,

        /// Replace the file if it exists.
        #[arg(long)]
        replace: bool,
    },
    /// Copy the mirror to a PostgreSQL database, or to Parquet files, or bring the copy up to date.
    ///
    /// The copy contains the tables, the changes and the history, and equals the mirror after each run. Other programs
    /// may read it. After `mirror forget`, run this command again to remove the person from the copy. A database also
    /// gets the views; its URL is a libpq URL, and the usual environment variables apply, such as `PGPASSWORD`. A
    /// folder or an object store gets one Parquet file for each table, if the program was built with Parquet.
    /// Credentials come from the usual environment variables, such as `AWS_ACCESS_KEY_ID`.
    #[command(after_help = "\
Examples:
  {program} mirror copy --to postgres://team@db.example/team
  {program} mirror copy --to s3://archive/tables
  {program} mirror copy --to tables --from mirror.db")]
    Copy {
        /// A database, `postgres://USER@HOST/NAME#SCHEMA` (the schema is `mirror` by default), or the folder of the
        /// Parquet files: `s3://`, `gs://`, `az://`, `file://`, or a path.
        #[arg(long, value_name = "URL")]
        to: String,
    },
    /// Restore the mirror from a backup.
    ///
    /// Records that the current mirror has forgotten stay forgotten. Earlier cursors are refused, so readers of the
    /// changes must read the tables again.
    #[command(after_help = "\
Examples:
  {program} mirror restore backup.db
  {program} mirror restore backup.db --to mirror.db --yes")]
    Restore {
        /// File of the backup.
        file: PathBuf,

        /// File of the mirror [default: the mirror of the profile].
        #[arg(long, value_name = "MIRROR")]
        to: Option<String>,

        /// Do not ask before an existing mirror is replaced.
        #[arg(short, long)]
        yes: bool,
    },
}

impl MirrorCommand {
    fn run<S: Mirrored>(self, records: Records, invocation: &Invocation) -> Result<(), Failure> {
        match self {
            Self::Sync { flags, every } => sync::run::<S>(&flags, every, invocation),
            Self::Status { max_age } => upkeep::status(max_age, invocation),
            Self::Changes { after, cursor } => upkeep::changes(after.as_ref(), cursor, invocation),
            Self::Consumers(flags) => upkeep::consumers(&flags, invocation),
            Self::Search { text } => upkeep::search::<S>(&text, records, invocation),
            Self::Forget(flags) => upkeep::forget::<S>(&flags, invocation),
            Self::Purge { flags, yes } => upkeep::purge(&flags, yes, invocation),
            Self::Check => upkeep::check(false, invocation),
            Self::Rebuild => upkeep::check(true, invocation),
            Self::Backup { file, replace } => upkeep::back_up(&file, replace, invocation),
            Self::Copy { to } => upkeep::copy::<S>(&to, invocation),
            Self::Restore { file, to, yes } => {
                upkeep::restore(&file, to.as_deref(), yes, invocation)
            }
        }
    }
}
