//! The description of a program: its names and texts, and what only some programs have.

use crate::contract::Contract;
use crate::demo::Demo;
#[cfg(feature = "mirror")]
use crate::exporter::Exporter;
use crate::name::Name;
use crate::output::format::Formats;
use crate::output::output_format::OutputFormat;
use crate::output::upload::Uploader;

/// The description of a program: its name, its version, and the texts and hooks that generated code does not have.
///
/// # Examples
///
/// ```
/// use methodical_cli::Program;
///
/// const PROGRAM: Program = Program::new("photos", env!("CARGO_PKG_VERSION"))
///     .about("Photos and albums of the archive")
///     .examples(&["albums list -o csv", "photos list --album 7"])
///     .api_examples(&["albums/list", "photos/list -f album=7"]);
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Program {
    pub(crate) name: Name,
    pub(crate) version: &'static str,
    pub(crate) about: &'static str,
    /// Arguments of commands, as examples in the help.
    pub(crate) examples: &'static [&'static str],
    /// Arguments of `api`, as examples in its help.
    pub(crate) api_examples: &'static [&'static str],
    /// The sample service, which `--demo` uses.
    pub(crate) demo: Option<Demo>,
    /// The contract that `check` compares the service with.
    pub(crate) contract: Option<Contract>,
    pub(crate) formats: Formats,
    /// Opens output files with a URL.
    pub(crate) uploader: Option<Uploader>,
    /// What `mirror export` calls.
    #[cfg(feature = "mirror")]
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
            api_examples: &[],
            demo: None,
            contract: None,
            formats: Formats::with(&[]),
            uploader: None,
            #[cfg(feature = "mirror")]
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

    /// Sets the examples in the help of `api`: its arguments, such as `albums/list -f year=2024`.
    pub const fn api_examples(mut self, arguments: &'static [&'static str]) -> Self {
        self.api_examples = arguments;
        self
    }

    /// Adds the flag `--demo`, which uses a sample service.
    pub const fn demo(mut self, demo: Demo) -> Self {
        self.demo = Some(demo);
        self
    }

    /// Adds the command `check`, which compares the service with its contract.
    pub const fn contract(mut self, contract: Contract) -> Self {
        self.contract = Some(contract);
        self
    }

    /// Adds output formats to those of every program. Their names and extensions must differ from those of other formats.
    pub const fn formats(mut self, formats: &'static [&'static dyn OutputFormat]) -> Self {
        self.formats = Formats::with(formats);
        self
    }

    /// Sets what opens an output file that is named by a URL. Without it, the program refuses such a name.
    pub const fn uploader(mut self, uploader: Uploader) -> Self {
        self.uploader = Some(uploader);
        self
    }

    /// Sets what `mirror export` calls. Without it, the command says that the program cannot export.
    #[cfg(feature = "mirror")]
    pub const fn exporter(mut self, exporter: Exporter) -> Self {
        self.exporter = Some(exporter);
        self
    }
}
