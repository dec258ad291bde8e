//! The exit codes that scripts rely on.

use std::process::ExitCode;

/// Why the program ended, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// The output's reader has gone away: there is nobody to tell, and nothing went wrong.
    Done = 0,
    /// The output could not be written: a full disk.
    Unwritten = 1,
    /// Usage or configuration.
    Usage = 2,
    /// The token is refused, or may not do this.
    NotAuthorised = 3,
    /// No complete answer came in time.
    Network = 4,
    /// The service answered something that is not the contract.
    Contract = 5,
    /// Everything was done, but some records could not be read.
    Rejected = 6,
    /// The terminal is gone. As for the next two, 128 and the number of the signal.
    #[cfg_attr(not(unix), expect(dead_code, reason = "elsewhere there is no such signal"))]
    HungUp = 129,
    /// Ctrl-C.
    Interrupted = 130,
    /// Somebody or something else has ended the program.
    #[cfg_attr(not(unix), expect(dead_code, reason = "elsewhere there is no such signal"))]
    Terminated = 143,
}

impl Exit {
    /// Returns the number.
    pub(crate) const fn code(self) -> u8 {
        #[expect(clippy::as_conversions, reason = "the numbers are the point of the enum")]
        let code = self as u8;
        code
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
