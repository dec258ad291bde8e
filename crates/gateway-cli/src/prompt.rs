//! Asks a person for a secret, and does not show what is typed.

use std::fs::File;
use std::io::{self, Write as _};

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

use crate::interrupt::{self, Undo};

/// Asks for a secret on the terminal of the program.
pub(crate) fn secret(question: &str) -> io::Result<String> {
    let mut terminal = open()?;
    let hidden = open()?;
    let config = rpassword::ConfigBuilder::new()
        .input_reader(terminal.try_clone()?)
        .output_writer(terminal.try_clone()?)
        .build();
    // Hidden here, where a signal can undo it, and not by the library, which edits the line.
    let ((), unfinished) = interrupt::begin(|| {
        let before = hide(&hidden)?;
        // An error cannot be handled: the program is about to end, or has its secret.
        let undo = Undo::new(move || _ = tcsetattr(&hidden, OptionalActions::Now, &before));
        io::Result::Ok(((), undo))
    })?;
    let secret = rpassword::prompt_password_with_config(question, config);
    drop(unfinished);
    // The end of the line was not shown either.
    writeln!(terminal)?;
    secret
}

fn open() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/tty")
}

/// Makes a terminal pass on each key and show none, and returns its modes before. The keys for signals work as before.
fn hide(terminal: &File) -> io::Result<Termios> {
    let before = tcgetattr(terminal)?;
    let mut hidden = before.clone();
    // In line mode, a terminal takes at most 4096 bytes: too few for some tokens.
    hidden.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON;
    hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
    hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(terminal, OptionalActions::Now, &hidden)?;
    Ok(before)
}
