//! The commands that call the operations of a service: what generated code implements and contains.

use clap::Subcommand;
use methodical_client::model::Operation;
use methodical_client::model::tables::Mirrored;

use crate::failure::Failure;
use crate::program::RecordType;
use crate::session::Session;

/// The commands that call the operations of a service.
///
/// Generated code implements it. The text after the help of a command (`after_help`) has its examples, one on each line and
/// without the name of the program. The [documentation of the crate](crate#commands-without-the-generator) shows a complete
/// implementation.
///
/// The names `api`, `auth`, `board`, `check`, `completions`, `config`, `dashboard`, `duplicates`, `help`, `man`, `mcp`, `mirror`,
/// `placements`, `profile`, `report`, `tap` and `watch` belong to the frame; no command of a service may have one of them. The same is true of the flags that `--help` lists for every
/// command.
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
    /// The service.
    type Service: Mirrored;

    /// The cheapest operation, which checks whether the service accepts a token.
    type Probe: Operation<Service = Self::Service>;

    /// Names from the service, as examples in the help.
    const EXAMPLE: Example;

    /// The paths of civil dates in the records of lists, the first one of a record first. If the list is empty, the program has no
    /// flag `--since`.
    const DATES: &'static [&'static str] = &[];

    /// The words of each command that prints records, such as `albums list`, with the type of these records.
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
