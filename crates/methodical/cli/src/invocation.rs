//! One invocation of the program.

use std::fmt::Write as _;

use crate::config::flags::{CallFlags, ServiceFlags};
use crate::config::redact::redacted;
use crate::output::flags::OutputFlags;
use crate::program::Program;
use crate::screen::Screen;

/// One invocation of the program: its description, the flags that every command takes, and the streams of its output.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    pub(crate) program: Program,
    pub(crate) service: ServiceFlags,
    pub(crate) call: CallFlags,
    pub(crate) output: OutputFlags,
    pub(crate) screen: Screen,
    /// Returns what a query selects from a mirror, if the program can have one.
    #[cfg(feature = "mirror")]
    pub(crate) select: Option<crate::mirror::selected::Select>,
}

impl Invocation {
    /// Returns a command of the program for a message. It repeats the flags that chose the profile, the service and the token:
    /// without them, the command would be about another account.
    pub(crate) fn command(&self, arguments: &str) -> String {
        let ServiceFlags { base_url, profile, token_file, .. } = &self.service;
        let mut flags = String::new();
        let switches = [
            ("--demo", self.call.demo),
            ("--allow-insecure-http", self.service.allow_insecure_http),
            ("--token-stdin", self.service.token_stdin),
        ];
        for (flag, _) in switches.iter().filter(|(_, is_on)| *is_on) {
            _ = write!(flags, "{flag} ");
        }
        let values = [
            ("--profile", profile.clone()),
            ("--base-url", base_url.as_deref().map(redacted)),
            ("--token-file", token_file.as_ref().map(|path| path.display().to_string())),
        ];
        for (flag, value) in values.iter().filter_map(|(flag, value)| Some((flag, value.as_ref()?)))
        {
            _ = write!(flags, "{flag} {} ", quoted(value));
        }
        self.program.name.command(&format!("{flags}{arguments}"))
    }
}

/// Quotes a word for a shell, if it needs it.
pub(crate) fn quoted(word: &str) -> String {
    // Only a NUL cannot be quoted, and no argument can contain one.
    shlex::try_quote(word).map_or_else(|_nul| word.to_owned(), std::borrow::Cow::into_owned)
}
