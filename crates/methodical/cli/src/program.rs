//! A program's description: its names and texts, its records, the commands that call its service, and optional parts.

use std::any::Any;
use std::fmt;

use clap::Subcommand;
use methodical_client::AccessToken;
use methodical_client::model::Operation;
use methodical_client::model::tables::{FieldType, Mirrored};
use methodical_testkit::contract::Contract;

use crate::failure::Failure;
use crate::mirror::upkeep::Exporter;
use crate::output::OutputFormat;
use crate::output::destination::Uploader;
use crate::output::record::Fields;
use crate::session::Session;

/// The description of a program: its name, its version, and the texts and hooks that generated code lacks.
///
/// # Examples
///
/// ```
/// use methodical_cli::Program;
///
/// const PROGRAM: Program = Program {
///     about: "Photos and albums of the archive",
///     examples: &["albums list -o csv", "photos list --album 7"],
///     ..Program::new("photos", env!("CARGO_PKG_VERSION"))
/// };
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "programs create it")]
#[must_use]
pub struct Program {
    /// The name, such as `photos`. The settings folder has this name, and environment variables begin with it in
    /// capitals, as in `PHOTOS_TOKEN`.
    pub name: &'static str,
    /// The program's version.
    pub version: &'static str,
    /// The first line of the help.
    pub about: &'static str,
    /// Examples for the help, each without the program's name, such as `albums list -o csv`.
    pub examples: &'static [&'static str],
    /// The sample service that the flag `--demo` starts. If `None`, the program does not have this flag.
    pub demo: Option<Demo>,
    /// The contract that the command `check` compares the service with, and the name of a reference service, such as
    /// `photos-server`. With `--strict`, the service must also behave like the reference where the contract leaves a
    /// point open. If `None`, the program does not have this command.
    pub contract: Option<(&'static Contract, &'static str)>,
    /// Output formats besides the built-in ones. Their names and extensions must differ from those of other formats.
    pub formats: &'static [OutputFormat],
    /// Opens an output file given as a URL. If `None`, the program refuses URLs.
    pub uploader: Option<Uploader>,
    /// Writes the files of `mirror copy`. If `None`, the command copies only to databases.
    pub exporter: Option<Exporter>,
}

impl Program {
    /// Creates the description of a program that has only a name and a version.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name,
            version,
            about: "",
            examples: &[],
            demo: None,
            contract: None,
            formats: &[],
            uploader: None,
            exporter: None,
        }
    }

    /// Returns the name of one of the program's environment variables, such as `PHOTO_ARCHIVE_TOKEN` for `TOKEN`.
    pub(crate) fn variable(&self, name: &str) -> String {
        format!("{}_{name}", capitals(self.name))
    }

    /// Returns the name of the environment variable for a secret other than the service's first one, such as
    /// `PHOTOS_SECRET_USER_ID`.
    pub(crate) fn secret_variable(&self, secret: &str) -> String {
        self.variable(&format!("SECRET_{}", capitals(secret)))
    }

    /// Returns one of the program's commands, quoted for a message, such as `` `photos auth login` ``.
    pub(crate) fn command(&self, arguments: &str) -> String {
        format!("`{} {arguments}`", self.name)
    }
}

/// Converts a name for use in an environment variable: `photo-archive` becomes `PHOTO_ARCHIVE`.
pub(crate) fn capitals(name: &str) -> String {
    name.to_ascii_uppercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

/// A description of the records that an operation returns: their columns, fields, types and name.
///
/// # Examples
///
/// ```
/// use methodical_cli::RecordType;
///
/// const PHOTO: RecordType<'_> =
///     RecordType::new(&["id", "title"], &["id", "title", "size"]).named("photo", "photos");
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct RecordType<'a> {
    pub(crate) columns: Fields<'a>,
    pub(crate) fields: Fields<'a>,
    pub(crate) noun: Noun,
    pub(crate) types: Types<'a>,
}

/// Field types, each with the field's path.
pub(crate) type Types<'a> = &'a [(&'a str, FieldType)];

impl<'a> RecordType<'a> {
    /// Creates the description of records whose name is `record`; [`named`](Self::named) changes the name.
    ///
    /// `columns` are the columns that a table shows without `--fields`, most important first. `fields`
    /// are the paths of all documented fields, which CSV and other files contain without `--fields`.
    pub const fn new(columns: Fields<'a>, fields: Fields<'a>) -> Self {
        Self { columns, fields, noun: Noun::RECORD, types: &[] }
    }

    /// Sets the types of fields, by path, for typed formats. The type of any other field is unknown.
    pub const fn typed(mut self, types: &'a [(&'a str, FieldType)]) -> Self {
        self.types = types;
        self
    }

    /// Sets a record's singular and plural names, for the count below a table, such as `24 photos`.
    pub const fn named(mut self, one: &'static str, several: &'static str) -> Self {
        self.noun = Noun(one, several);
        self
    }
}

/// A record's singular and plural names, such as `photo` and `photos`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noun(pub(crate) &'static str, pub(crate) &'static str);

impl Noun {
    pub(crate) const RECORD: Self = Self("record", "records");

    pub(crate) fn of(self, count: u64) -> &'static str {
        if count == 1 { self.0 } else { self.1 }
    }
}

/// A sample service for `--demo`. It starts when a command calls it, and stops when the command ends.
///
/// # Examples
///
/// ```
/// use methodical_cli::client::AccessToken;
/// use methodical_cli::{Demo, Failure, Program, SampleService};
///
/// # struct Service;
/// # impl Service {
/// #     fn start() -> std::io::Result<Self> { Ok(Self) }
/// #     fn url(&self) -> String { "http://127.0.0.1:8080".to_owned() }
/// # }
/// fn start() -> Result<SampleService, Failure> {
///     let service = Service::start()
///         .map_err(|error| Failure::usage("cannot start the sample service").because(error))?;
///     let token = AccessToken::new("sample")?;
///     Ok(SampleService { base_url: service.url(), token, history: None, guard: Box::new(service) })
/// }
///
/// let demo = Demo { start, examples: &["albums list", "albums list -o csv"] };
/// let program = Program { demo: Some(demo), ..Program::new("photos", "1.0.0") };
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "programs create it")]
pub struct Demo {
    /// Starts the service, which should listen only on the loopback interface.
    pub start: fn() -> Result<SampleService, Failure>,
    /// Arguments after `--demo`, shown as examples in the help. The short help shows only the first.
    pub examples: &'static [&'static str],
}

/// A running sample service. See [`Demo`] for an example.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "programs create it")]
pub struct SampleService {
    /// The base URL of the service.
    pub base_url: String,
    /// A token that the service accepts.
    pub token: AccessToken,
    /// How the data changes from day to day. `--demo dashboard` and `--demo mcp` need it.
    pub history: Option<SampleHistory>,
    /// Stops the service when dropped.
    pub guard: Box<dyn Any + Send>,
}

/// How the data of a sample service changes from day to day, so that `--demo dashboard` has a history to show.
///
/// The program generates the data of each day and syncs a mirror with the clock set to that day. The last day is today.
#[expect(clippy::exhaustive_structs, reason = "programs create it")]
pub struct SampleHistory {
    /// The number of days in the history.
    pub days: u32,
    /// Values, such as statuses, that occur in the data and that the contract does not list.
    pub values: &'static [&'static str],
    /// Changes the data to a day's state. Called for each day from 0 to `days - 1`, in order.
    pub set_day: Box<dyn FnMut(u32) -> Result<(), Failure> + Send>,
}

impl fmt::Debug for SampleHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleHistory").field("days", &self.days).finish_non_exhaustive()
    }
}

/// The commands that call a service's operations.
///
/// Generated code implements this trait. The text after a command's help (`after_help`) contains its examples, one on
/// each line, without the program's name.
///
/// The names `api`, `auth`, `board`, `check`, `completions`, `config`, `dashboard`, `duplicates`, `help`, `man`, `mcp`,
/// `mirror`, `placements`, `profile`, `report`, `tap` and `watch` are reserved for the framework, so no command of a
/// service may have such a name. The same is true of the flags that `--help` lists for every command.
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// fn shows_photos<C: OperationCommands>() -> bool {
///     C::EXAMPLE == Example::new("totals", "totals/get", "photos,albums")
/// }
///
/// assert!(shows_photos::<Commands>());
/// ```
pub trait OperationCommands: Subcommand {
    /// The service that the commands call.
    type Service: Mirrored;

    /// The cheapest operation, which checks whether the service accepts a token.
    type Probe: Operation<Service = Self::Service>;

    /// Names from the service, as examples in the help.
    const EXAMPLE: Example;

    /// The words of each command that prints records, such as `albums list`, with the type of these records. If no
    /// record type has a civil date, the help does not list the flag `--since`.
    const RECORDS: &'static [(&'static str, RecordType<'static>)] = &[];

    /// Returns the call that checks a token. Its response should be short.
    fn probe() -> Self::Probe;

    /// Calls the service and prints the response, with [`Session::list`] or [`Session::object`].
    ///
    /// # Errors
    ///
    /// Fails if the call fails or the output cannot be written.
    fn run(self, session: &Session<Self::Service>) -> Result<(), Failure>;
}

/// Names from a service, as examples in the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The words of a command, such as `albums list`.
    pub(crate) command: &'static str,
    /// A method, such as `albums/list`.
    pub(crate) method: &'static str,
    /// Some fields of a record, separated by commas, such as `id,title`.
    pub(crate) fields: &'static str,
}

impl Example {
    /// Creates an example from the words of a command, a method, and some fields, separated by commas.
    #[must_use]
    pub const fn new(command: &'static str, method: &'static str, fields: &'static str) -> Self {
        Self { command, method, fields }
    }
}

#[cfg(test)]
mod tests {
    use super::Program;

    #[test]
    fn other_names_are_made_from_the_name_of_the_program() {
        let program = Program::new("photo-archive", "1.0.0");
        assert_eq!(program.variable("TOKEN_FILE"), "PHOTO_ARCHIVE_TOKEN_FILE");
        assert_eq!(program.secret_variable("x-user"), "PHOTO_ARCHIVE_SECRET_X_USER");
        assert_eq!(program.command("auth login"), "`photo-archive auth login`");
    }
}
