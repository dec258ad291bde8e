//! Asks a person before something is done that cannot be undone.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use crate::failure::Failure;

/// Asks on the terminal, unless the flag `--yes` is given. Fails if the answer is no, or this is not a terminal.
pub(crate) fn confirm(question: &str, yes: bool) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::usage(
            "cannot ask for confirmation: standard input is not a terminal",
        )
        .hint("use --yes to skip the question"));
    }
    let failed =
        |error: io::Error| Failure::usage("cannot ask for confirmation").because(error.to_string());
    write!(io::stderr(), "{question} [y/N] ").map_err(failed)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(failed)?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    Err(Failure::usage("nothing was changed: the answer was no"))
}
