//! Asks a person for a secret without showing it.

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
    // Done here, so that a signal can undo it, and not by the library.
    let ((), unfinished) = interrupt::begin(|| {
        let before = hide(&hidden)?;
        // Nothing can be done about an error here.
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

/// Lets a terminal pass on each key without showing it, and returns the previous modes. Keys for signals still work.
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
