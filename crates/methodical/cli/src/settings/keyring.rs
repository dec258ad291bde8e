//! The tokens that `auth login --keyring` stores in the keyring of the operating system.
//!
//! The keyring is the Keychain on macOS, the Credential Manager on Windows, and elsewhere a provider of the Secret Service,
//! such as GNOME Keyring, `KWallet` or `KeePassXC`.

#[cfg(feature = "keyring")]
use std::sync::Arc;

#[cfg(feature = "keyring")]
use keyring_core::{CredentialStore, Entry, Error};

use crate::failure::Failure;
#[cfg(feature = "keyring")]
use crate::program::Name;
use crate::run::Invocation;

/// A connection to the keyring.
#[cfg(feature = "keyring")]
#[derive(Debug)]
pub(crate) struct Keyring {
    store: Arc<CredentialStore>,
    /// Also the service name of the entries.
    program: Name,
    /// The command that logs in, for hints.
    login: String,
}

#[cfg(feature = "keyring")]
impl Keyring {
    pub(crate) fn open(invocation: &Invocation) -> Result<Self, Failure> {
        let login = invocation.command("auth login");
        match native() {
            Ok(store) => Ok(Self { store, program: invocation.program.name, login }),
            Err(error) => Err(Failure::usage("cannot connect to a keyring on this machine")
                .because(text(&error))
                .hint(format!("start one and log in again, or use a file: run {login} without --keyring, or pass --token-file"))),
        }
    }

    pub(crate) fn read(&self, profile: &str) -> Result<Option<String>, Failure> {
        optional(self.entry(profile)?.get_password()).map_err(|error| self.failure(&error))
    }

    pub(crate) fn store(&self, profile: &str, token: &str) -> Result<(), Failure> {
        self.entry(profile)?.set_password(token).map_err(|error| self.failure(&error))
    }

    /// Removes the token of a profile, and returns whether there was one.
    pub(crate) fn remove(&self, profile: &str) -> Result<bool, Failure> {
        let removed = optional(self.entry(profile)?.delete_credential());
        removed.map(|done| done.is_some()).map_err(|error| self.failure(&error))
    }

    fn entry(&self, profile: &str) -> Result<Entry, Failure> {
        self.store.build(self.program.as_str(), profile, None).map_err(|error| self.failure(&error))
    }

    /// Explains an error.
    fn failure(&self, error: &Error) -> Failure {
        let file = format!("use a file: run {} without --keyring", self.login);
        let failed = match error {
            Error::NoStorageAccess(_) => "the keyring is locked, or denies access to this program",
            _ => "the keyring failed",
        };
        Failure::usage(failed)
            .because(text(error))
            .hint(format!("unlock it and try again, or {file}"))
    }
}

#[cfg(all(feature = "keyring", target_os = "macos"))]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(all(feature = "keyring", windows))]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(all(feature = "keyring", unix, not(target_os = "macos")))]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

#[cfg(feature = "keyring")]
/// Returns `None` for an entry that does not exist.
fn optional<T>(found: keyring_core::Result<T>) -> keyring_core::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(feature = "keyring")]
/// Returns the error text of the operating system, else that of the keyring. An entry is not quoted, because it may be a token.
fn text(error: &Error) -> String {
    match error {
        Error::PlatformFailure(reason) | Error::NoStorageAccess(reason) => reason.to_string(),
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "its entry is not a token".to_owned(),
        Error::Ambiguous(_) => "it has several entries for this profile".to_owned(),
        other => other.to_string(),
    }
}

/// A keyring that can never be opened, in a build without it.
#[cfg(not(feature = "keyring"))]
#[derive(Debug)]
pub(crate) enum Keyring {}

#[cfg(not(feature = "keyring"))]
impl Keyring {
    /// Fails, and says how to get a build with the keyring.
    pub(crate) fn open(invocation: &Invocation) -> Result<Self, Failure> {
        Err(Failure::usage("this program was built without support for the keyring of the operating system")
            .hint(format!("build it with `--features keyring`, or use a file: run {} without --keyring, or pass --token-file", invocation.command("auth login"))))
    }

    pub(crate) fn read(&self, _profile: &str) -> Result<Option<String>, Failure> {
        match *self {}
    }

    pub(crate) fn store(&self, _profile: &str, _token: &str) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn remove(&self, _profile: &str) -> Result<bool, Failure> {
        match *self {}
    }
}

#[cfg(feature = "keyring")]
#[cfg(test)]
mod tests {
    use keyring_core::mock;

    use super::{CredentialStore, Error, Failure, Keyring, Name};

    fn keyring() -> Keyring {
        Keyring {
            store: mock::Store::new().unwrap(),
            program: Name::new("photos"),
            login: "`photos --profile work auth login`".to_owned(),
        }
    }

    /// Lets the next use of the entry of profile `work` fail, and returns the failure.
    fn fail(keyring: &Keyring, error: Error) -> Failure {
        let store: &CredentialStore = &*keyring.store;
        let entry = store.build("photos", "work", None).unwrap();
        let credential: &mock::Cred = entry.as_any().downcast_ref().unwrap();
        credential.set_error(error);
        keyring.read("work").unwrap_err()
    }

    #[test]
    fn a_stored_token_is_found_until_it_is_removed() -> Result<(), Failure> {
        let keyring = keyring();
        assert_eq!(keyring.read("work")?, None);
        assert!(!keyring.remove("work")?);
        keyring.store("work", "tok_1")?;
        keyring.store("work", "tok_2")?;
        keyring.store("home", "tok_3")?;
        assert_eq!(keyring.read("work")?.as_deref(), Some("tok_2"));
        assert!(keyring.remove("work")?);
        assert_eq!(keyring.read("work")?, None);
        assert_eq!(keyring.read("home")?.as_deref(), Some("tok_3"));
        Ok(())
    }

    #[test]
    fn failures_say_what_to_do_and_quote_no_token() {
        let keyring = keyring();
        let failures = [
            Error::NoStorageAccess("the collection is locked".into()),
            Error::PlatformFailure("org.freedesktop.DBus.Error.NoReply".into()),
            Error::BadEncoding(b"tok_secret\xff".to_vec()),
            Error::BadDataFormat(b"tok_secret".to_vec(), "tok_secret".into()),
            Error::Ambiguous(Vec::new()),
            Error::NotSupportedByStore("reading".to_owned()),
        ]
        .map(|error| fail(&keyring, error));
        let shown = format!("{failures:#?}");
        assert!(!shown.contains("tok_secret"), "{shown}");
        insta::assert_snapshot!(shown);
    }
}
