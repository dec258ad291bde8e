//! The exit codes, which scripts rely on.

use std::process::ExitCode;

/// The result of the program. The number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Success. Also if the reader of the output closed it, which is not an error.
    Done = 0,
    /// The output could not be written, for example because the disk is full.
    Unwritten = 1,
    /// Invalid usage or configuration.
    Usage = 2,
    /// The token was refused, or does not allow the call.
    NotAuthorised = 3,
    /// No complete response arrived in time, or the service was overloaded or failing after all retries.
    Network = 4,
    /// The service refused the request or reported a failure, or its response is unusable. Also if a contract check fails, or a
    /// receiver does not accept an event.
    Contract = 5,
    /// Success, but some records were skipped, or the format could not hold some values.
    Rejected = 6,
    /// Too many records are missing from a list, so that the mirror refused it.
    #[cfg(feature = "mirror")]
    Braked = 7,
    /// A check has failed: an amount is below its threshold, or the mirror is older than allowed.
    Alarm = 8,
    /// Another process syncs the mirror, or delivers its changes to the same consumer.
    #[cfg(feature = "mirror")]
    Busy = 9,
    /// A check cannot judge an amount: the mirror has too few samples of it.
    #[cfg(feature = "mirror")]
    Unjudged = 10,
    /// A record was erased, but another program keeps its bytes in the log of the mirror.
    #[cfg(feature = "mirror")]
    Unerased = 11,
    /// The terminal was closed. Like the next two, 128 plus the number of the signal.
    #[cfg_attr(not(unix), expect(dead_code, reason = "the signal exists only on Unix"))]
    HungUp = 129,
    /// Ctrl-C.
    Interrupted = 130,
    /// A person or another program ended this one.
    #[cfg_attr(not(unix), expect(dead_code, reason = "the signal exists only on Unix"))]
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
