//! `gateway completions`: a script with which a shell completes commands, flags and values.

use clap::{Args as Flags, Command};
use clap_complete::Shell;

use crate::command::print::print;
use crate::failure::Failure;
use crate::output::flags::OutputFlags;

/// The flags of `gateway completions`.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
  gateway completions bash > ~/.local/share/bash-completion/completions/gateway
  gateway completions zsh > ~/.zfunc/_gateway
  gateway completions fish > ~/.config/fish/completions/gateway.fish

For zsh, above compinit in ~/.zshrc:
  fpath+=(~/.zfunc)")]
pub(crate) struct CompletionsFlags {
    /// The shell.
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(
    flags: &CompletionsFlags,
    mut program: Command,
    output: &OutputFlags,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut program, "gateway", &mut script);
    print(output, &script)
}
