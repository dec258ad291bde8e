//! The description of a program: its names and texts, its records, and optional parts.

use std::fmt;

use methodical_client::model::tables::FieldType;
use methodical_testkit::contract::Contract;

use crate::demo::Demo;
use crate::mirror::copy::Exporter;
use crate::output::destination::Uploader;
use crate::output::format::{Formats, OutputFormat};
use crate::output::select::Fields;

/// The description of a program: its name, its version, and the texts and hooks that generated code lacks.
///
/// # Examples
///
/// ```
/// use methodical_cli::Program;
///
/// const PROGRAM: Program = Program::new("photos", env!("CARGO_PKG_VERSION"))
///     .about("Photos and albums of the archive")
///     .examples(&["albums list -o csv", "photos list --album 7"]);
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Program {
    pub(crate) name: Name,
    pub(crate) version: &'static str,
    pub(crate) about: &'static str,
    /// Arguments of commands, as examples in the help.
    pub(crate) examples: &'static [&'static str],
    /// The sample service, which `--demo` uses.
    pub(crate) demo: Option<Demo>,
    /// The contract that `check` compares the service with, and the name of a service that settles its open points.
    pub(crate) contract: Option<(&'static Contract, &'static str)>,
    pub(crate) formats: Formats,
    /// Opens output files with a URL.
    pub(crate) uploader: Option<Uploader>,
    /// What `mirror copy` calls for files.
    pub(crate) exporter: Option<Exporter>,
}

impl Program {
    /// Describes a program by its name, such as `photos`, and its version.
    ///
    /// Environment variables begin with the name in capitals, as in `PHOTOS_TOKEN`. The folder of the settings has the
    /// same name as the program.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name: Name::new(name),
            version,
            about: "",
            examples: &[],
            demo: None,
            contract: None,
            formats: Formats(&[]),
            uploader: None,
            exporter: None,
        }
    }

    /// Sets the first line of the help.
    pub const fn about(mut self, text: &'static str) -> Self {
        self.about = text;
        self
    }

    /// Sets the examples in the help: the arguments of commands, such as `albums list -o csv`.
    pub const fn examples(mut self, arguments: &'static [&'static str]) -> Self {
        self.examples = arguments;
        self
    }

    /// Adds the `--demo` flag, which uses a sample service.
    pub const fn demo(mut self, demo: Demo) -> Self {
        self.demo = Some(demo);
        self
    }

    /// Adds the command `check`, which compares the service with its contract. Its flag `--strict` compares it with `reference`, such as
    /// `photos-server`, where the contract leaves a point open.
    pub const fn contract(mut self, contract: &'static Contract, reference: &'static str) -> Self {
        self.contract = Some((contract, reference));
        self
    }

    /// Adds output formats to those of every program. Their names and extensions must differ from those of other formats.
    pub const fn formats(mut self, formats: &'static [OutputFormat]) -> Self {
        self.formats = Formats(formats);
        self
    }

    /// Sets the function that opens an output file given as a URL. Without one, the program refuses URLs.
    pub const fn uploader(mut self, uploader: Uploader) -> Self {
        self.uploader = Some(uploader);
        self
    }

    /// Sets the function that `mirror copy` calls to write files. Without one, the command copies only to databases.
    pub const fn exporter(mut self, exporter: Exporter) -> Self {
        self.exporter = Some(exporter);
        self
    }
}

/// The name of a program, such as `photos`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(&'static str);

impl Name {
    /// Creates the name: the first word of every command line.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self(name)
    }

    pub(crate) const fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns an environment variable of the program: `PHOTO_ARCHIVE_TOKEN` for `TOKEN`.
    pub(crate) fn variable(self, name: &str) -> String {
        format!("{}_{name}", capitals(self.0))
    }

    /// Returns the variable with a secret of the service, except the first one: `PHOTOS_SECRET_USER_ID`.
    pub(crate) fn secret_variable(self, secret: &str) -> String {
        self.variable(&format!("SECRET_{}", capitals(secret)))
    }

    /// Returns a command of the program for a message: `` `photos auth login` ``.
    pub(crate) fn command(self, arguments: &str) -> String {
        format!("`{self} {arguments}`")
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Returns a name as a part of an environment variable.
pub(crate) fn capitals(name: &str) -> String {
    name.to_ascii_uppercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

/// The columns, the fields and the name of the records that an operation returns.
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

/// The types of fields, by their paths.
pub(crate) type Types<'a> = &'a [(&'a str, FieldType)];

impl<'a> RecordType<'a> {
    /// Creates the description of records that are called `record`.
    ///
    /// `columns` are the columns of a table and of CSV without `--fields`, most important first: a narrow terminal
    /// hides the last ones. `fields` are the paths of all documented fields.
    pub const fn new(columns: Fields<'a>, fields: Fields<'a>) -> Self {
        Self { columns, fields, noun: Noun::RECORD, types: &[] }
    }

    /// Sets the types of fields, by path, for typed formats. The type of any other field is unknown.
    pub const fn typed(mut self, types: &'a [(&'a str, FieldType)]) -> Self {
        self.types = types;
        self
    }

    /// Sets the singular and plural name of a record, for the count below a table: `24 photos`.
    pub const fn named(mut self, one: &'static str, several: &'static str) -> Self {
        self.noun = Noun { one, several };
        self
    }
}

/// The name of a record, such as `photo` and `photos`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noun {
    one: &'static str,
    several: &'static str,
}

impl Noun {
    pub(crate) const RECORD: Self = Self { one: "record", several: "records" };

    pub(crate) const fn new(one: &'static str, several: &'static str) -> Self {
        Self { one, several }
    }

    pub(crate) fn of(self, count: u64) -> &'static str {
        if count == 1 { self.one } else { self.several }
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn other_names_are_made_from_the_name_of_the_program() {
        let name = Name::new("photo-archive");
        assert_eq!(name.variable("TOKEN_FILE"), "PHOTO_ARCHIVE_TOKEN_FILE");
        assert_eq!(name.secret_variable("x-user"), "PHOTO_ARCHIVE_SECRET_X_USER");
        assert_eq!(name.command("auth login"), "`photo-archive auth login`");
    }
}
