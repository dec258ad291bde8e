//! `completions`: a script with which a shell completes commands, flags and values.

use clap::{Args as Flags, Command};
use clap_complete::Shell;

use crate::failure::Failure;
use crate::output::print;
use crate::run::Invocation;

/// The flags of `completions`.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
  {program} completions bash > ~/.local/share/bash-completion/completions/{program}
  {program} completions zsh > ~/.zfunc/_{program}
  {program} completions fish > ~/.config/fish/completions/{program}.fish

For zsh, above compinit in ~/.zshrc:
  fpath+=(~/.zfunc)")]
pub(crate) struct CompletionsFlags {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(
    flags: &CompletionsFlags,
    mut definition: Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    let name = invocation.program.name.as_str();
    clap_complete::generate(flags.shell, &mut definition, name, &mut script);
    print(invocation, &script)
}
