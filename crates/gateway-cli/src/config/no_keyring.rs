//! Stands for the keyring of the operating system in a program that was built without it.

use std::convert::Infallible;

use crate::failure::Failure;

/// A keyring that there never is.
#[derive(Debug)]
pub(crate) struct Keyring(Infallible);

impl Keyring {
    /// Says how to get one.
    pub(crate) fn open() -> Result<Self, Failure> {
        Err(Failure::usage("this program was built without the keyring of the operating system")
            .hint("build it with `--features keyring`, or use a file: `gateway auth login` without --keyring, or --token-file"))
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
