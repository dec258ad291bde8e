//! The description of a program: its names and texts, and what only some programs have.

use crate::contract::Contract;
use crate::demo::Demo;
use crate::name::Name;

/// The description of a program: everything that its operations do not say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
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
}

impl Program {
    /// Describes a program by its name, such as `photos`, and its version.
    ///
    /// Environment variables begin with the name in capitals, as in `PHOTOS_TOKEN`. The folder of the settings has the
    /// same name as the program.
    pub(crate) const fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name: Name::new(name),
            version,
            about: "",
            examples: &[],
            api_examples: &[],
            demo: None,
            contract: None,
        }
    }

    /// Sets the first line of the help.
    pub(crate) const fn about(mut self, text: &'static str) -> Self {
        self.about = text;
        self
    }

    /// Sets the examples in the help: the arguments of commands, such as `albums list -o csv`.
    pub(crate) const fn examples(mut self, arguments: &'static [&'static str]) -> Self {
        self.examples = arguments;
        self
    }

    /// Sets the examples in the help of `api`: its arguments, such as `albums/list -f year=2024`.
    pub(crate) const fn api_examples(mut self, arguments: &'static [&'static str]) -> Self {
        self.api_examples = arguments;
        self
    }

    /// Adds the flag `--demo`, which uses a sample service.
    #[cfg_attr(
        not(feature = "demo"),
        expect(dead_code, reason = "this build has no sample service")
    )]
    pub(crate) const fn demo(mut self, demo: Demo) -> Self {
        self.demo = Some(demo);
        self
    }

    /// Adds the command `check`, which compares the service with its contract.
    pub(crate) const fn contract(mut self, contract: Contract) -> Self {
        self.contract = Some(contract);
        self
    }
}
