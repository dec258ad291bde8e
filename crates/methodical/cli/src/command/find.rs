//! Finds a command by its name.

use clap::Command;

use crate::failure::Failure;
use crate::suggest::closest;

/// Returns the command that these words name; without words, the program itself.
pub(crate) fn find(mut definition: Command, words: &[String]) -> Result<Command, Failure> {
    definition.build();
    let mut found = &definition;
    let mut name = found.get_name().to_owned();
    for word in words {
        let unknown = || {
            let failure = Failure::usage(format!("unknown command `{name} {word}`"));
            match closest(word, found.get_subcommands().map(Command::get_name)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure,
            }
        };
        found = found.find_subcommand(word).ok_or_else(unknown)?;
        name = format!("{name} {word}");
    }
    Ok(found.clone())
}
