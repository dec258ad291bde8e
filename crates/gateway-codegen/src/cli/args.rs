//! The arguments of the command line: its words, and its options with their values.
//!
//! There are few of them, so that no parser of a library is worth the time to build it.

use crate::cli::outcome::{Outcome, usage};

/// The arguments, sorted out.
#[derive(Default)]
pub(super) struct Args<'a> {
    /// Everything except options with a value.
    pub(super) words: Vec<&'a str>,
    pub(super) help: bool,
    pub(super) root: Option<&'a str>,
    pub(super) service: Option<&'a str>,
    pub(super) init: InitOptions<'a>,
}

/// The options of `init`.
#[derive(Default, PartialEq, Eq)]
pub(super) struct InitOptions<'a> {
    pub(super) spec: Option<&'a str>,
    pub(super) runtime_path: Option<&'a str>,
    pub(super) runtime_git: Option<&'a str>,
}

impl<'a> Args<'a> {
    /// Sorts out the arguments. An option and its value are two arguments, or one with `=`.
    pub(super) fn parse(args: &'a [String]) -> Result<Self, Outcome> {
        let mut parsed = Self::default();
        let mut rest = args.iter().map(String::as_str);
        while let Some(arg) = rest.next() {
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (arg, None),
            };
            let slot = match name {
                "--root" => &mut parsed.root,
                "--service" => &mut parsed.service,
                "--spec" => &mut parsed.init.spec,
                "--runtime-path" => &mut parsed.init.runtime_path,
                "--runtime-git" => &mut parsed.init.runtime_git,
                _ => {
                    parsed.help |= matches!(arg, "-h" | "--help" | "help");
                    parsed.words.push(arg);
                    continue;
                }
            };
            *slot = value.or_else(|| rest.next());
            if slot.is_none() {
                return Err(usage(&format!("`{name}` needs a value")));
            }
        }
        Ok(parsed)
    }
}
