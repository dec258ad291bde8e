//! The terminal as a person types into it: asked for a secret, it does not show what is typed.

use std::fs::File;
use std::io::{self, Write as _};

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

use crate::interrupt;

/// Asks for a secret.
pub(crate) fn ask_for_secret(question: &str) -> io::Result<String> {
    let mut terminal = open()?;
    let hidden = open()?;
    let config = rpassword::ConfigBuilder::new()
        .input_reader(terminal.try_clone()?)
        .output_writer(terminal.try_clone()?)
        .build();
    // Hidden here, where a signal can undo it, and not by the library that edits the line.
    interrupt::hide(|| Modes::hide(hidden))?;
    let secret = rpassword::prompt_password_with_config(question, config);
    interrupt::show();
    // The end of the line was not shown either.
    writeln!(terminal)?;
    secret
}

fn open() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/tty")
}

/// How a terminal was; when this goes, it is so again.
#[derive(Debug)]
pub(crate) struct Modes {
    terminal: File,
    before: Termios,
}

impl Modes {
    /// Makes a terminal pass on each key at once and show none. The keys for signals work as before.
    fn hide(terminal: File) -> io::Result<Self> {
        let before = tcgetattr(&terminal)?;
        let mut hidden = before.clone();
        // By the line, a terminal takes 4096 bytes at most: too few for some tokens.
        hidden.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON;
        hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
        hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&terminal, OptionalActions::Now, &hidden)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        // There is nobody to tell, and nothing else to do.
        _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}
