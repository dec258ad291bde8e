//! A real terminal: the program is connected to a device, and finds out by itself what that is.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command, ExitStatus};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A program that was started in a terminal of its own, eighty columns wide.
pub(crate) struct Running {
    child: Child,
    screen: File,
}

impl Running {
    /// Starts the command, with the terminal as its standard input, output and error.
    pub(crate) fn start(mut command: Command) -> Self {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&screen).unwrap();
        unlockpt(&screen).unwrap();
        let name = ptsname(&screen, Vec::new()).unwrap();
        let device = || {
            let path = OsStr::from_bytes(name.as_bytes());
            File::options().read(true).write(true).open(path).unwrap()
        };
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(device(), size).unwrap();
        let child = command.stdin(device()).stdout(device()).stderr(device()).spawn().unwrap();
        // The command goes, and with it our ends of the device: what is left of them is the program's.
        Self { child, screen: screen.into() }
    }

    /// Returns the process, to send it a signal.
    pub(crate) fn process(&self) -> &Child {
        &self.child
    }

    /// Waits until the program ends. Returns how it ended, and everything that it showed.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let mut seen = Vec::new();
        // When nobody has the device open any more, Linux reports an error where others report the end.
        drop(self.screen.read_to_end(&mut seen));
        (self.child.wait().unwrap(), String::from_utf8(seen).unwrap())
    }
}
