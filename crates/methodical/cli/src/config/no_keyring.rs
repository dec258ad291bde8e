//! Takes the place of the keyring module in a build without the keyring.

use std::convert::Infallible;

use crate::failure::Failure;
use crate::invocation::Invocation;

/// A keyring that can never be opened.
#[derive(Debug)]
pub(crate) struct Keyring(Infallible);

impl Keyring {
    /// Fails, and says how to get a build with the keyring.
    pub(crate) fn open(invocation: &Invocation) -> Result<Self, Failure> {
        Err(Failure::usage("this program was built without support for the keyring of the operating system")
            .hint(format!("build it with `--features keyring`, or use a file: run {} without --keyring, or pass --token-file", invocation.command("auth login"))))
    }

    pub(crate) fn read(&self, _profile: &str) -> Result<Option<String>, Failure> {
        match self.0 {}
    }

    pub(crate) fn store(&self, _profile: &str, _token: &str) -> Result<(), Failure> {
        match self.0 {}
    }

    pub(crate) fn remove(&self, _profile: &str) -> Result<bool, Failure> {
        match self.0 {}
    }
}
