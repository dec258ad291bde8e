//! A run of the test in Node.

use std::error::Error;
use std::io;
use std::process::{Child, Command};

/// A process of the runner. It is killed when it is dropped.
pub(crate) struct Node(Child);

impl Node {
    /// Starts the tests whose names contain `filter`, with a variable.
    pub(crate) fn start(
        runner: &str,
        test: &str,
        filter: &str,
        (name, value): (&str, &str),
    ) -> io::Result<Self> {
        Command::new(runner).args([test, filter]).env(name, value).spawn().map(Self)
    }

    /// Waits for the end of the tests.
    pub(crate) fn wait(mut self) -> Result<(), Box<dyn Error>> {
        let status = self.0.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the tests in Node failed: {status}").into())
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It may have ended.
        let _ended = self.0.kill();
    }
}
