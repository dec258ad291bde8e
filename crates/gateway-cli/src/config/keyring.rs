//! The tokens that `gateway auth login --keyring` stored: in the keyring of the operating system.
//!
//! That is the Keychain of macOS, the Credential Manager of Windows, and elsewhere whatever provides the Secret Service,
//! such as GNOME Keyring, `KWallet` or `KeePassXC`.

use std::sync::Arc;

use keyring_core::{CredentialStore, Entry, Error};

use crate::failure::Failure;

/// A keyring that has answered.
#[derive(Debug)]
pub(crate) struct Keyring(Arc<CredentialStore>);

impl Keyring {
    /// Finds the keyring of this machine.
    pub(crate) fn open() -> Result<Self, Failure> {
        native().map(Self).map_err(|error| {
            Failure::usage("no keyring answers on this machine")
                .because(text(&error))
                .hint("start one and log in again, or use a file: `gateway auth login` without --keyring, or --token-file")
        })
    }

    /// Returns the token of a profile.
    pub(crate) fn read(&self, profile: &str) -> Result<Option<String>, Failure> {
        optional(self.entry(profile)?.get_password()).map_err(|error| failure(&error, profile))
    }

    /// Stores the token of a profile.
    pub(crate) fn store(&self, profile: &str, token: &str) -> Result<(), Failure> {
        self.entry(profile)?.set_password(token).map_err(|error| failure(&error, profile))
    }

    /// Removes the token of a profile, and returns whether there was one.
    pub(crate) fn remove(&self, profile: &str) -> Result<bool, Failure> {
        let removed = optional(self.entry(profile)?.delete_credential());
        removed.map(|done| done.is_some()).map_err(|error| failure(&error, profile))
    }

    fn entry(&self, profile: &str) -> Result<Entry, Failure> {
        self.0.build(SERVICE, profile, None).map_err(|error| failure(&error, profile))
    }
}

#[cfg(target_os = "macos")]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn native() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

/// Takes an entry that is not there for what it is: no error.
fn optional<T>(found: keyring_core::Result<T>) -> keyring_core::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Says what happened, and what to do. What the keyring holds is in some of the errors, so those are not quoted.
fn failure(error: &Error, profile: &str) -> Failure {
    match error {
        Error::NoStorageAccess(_) => Failure::usage(
            "the keyring is locked, or does not let this program in",
        )
        .because(text(error))
        .hint("unlock it, and try again; or use a file: `gateway auth login` without --keyring"),
        Error::BadEncoding(_) | Error::BadDataFormat(..) => {
            Failure::usage(format!("what the keyring has for profile {profile} is no token"))
                .hint("`gateway auth login --keyring` stores another")
        }
        Error::Ambiguous(_) => {
            Failure::usage(format!("the keyring has several tokens for profile {profile}"))
                .hint(format!("remove all but one entry of service `{SERVICE}`, user `{profile}`"))
        }
        Error::TooLong(_, limit) => Failure::usage(format!(
            "the token is too long for this keyring, which takes {limit} bytes"
        ))
        .hint("store it in a file: `gateway auth login` without --keyring"),
        other => Failure::usage("the keyring failed").because(text(other)),
    }
}

/// Returns the reason that the operating system gives, else that of the keyring.
fn text(error: &Error) -> String {
    match error {
        Error::PlatformFailure(reason) | Error::NoStorageAccess(reason) => reason.to_string(),
        other => other.to_string(),
    }
}

/// The name under which a person finds the entries.
const SERVICE: &str = "gateway";

#[cfg(test)]
mod tests {
    use keyring_core::mock;

    use super::{CredentialStore, Error, Failure, Keyring, SERVICE};

    fn keyring() -> Keyring {
        Keyring(mock::Store::new().expect("the mock keyring has nothing to fail on"))
    }

    /// Makes the next use of the entry of profile `work` fail.
    fn fail(keyring: &Keyring, error: Error) -> Failure {
        let store: &CredentialStore = &*keyring.0;
        let entry = store.build(SERVICE, "work", None).expect("it was built before");
        let credential: &mock::Cred = entry.as_any().downcast_ref().expect("it is a mock");
        credential.set_error(error);
        keyring.read("work").expect_err("as it was told")
    }

    #[test]
    fn a_token_is_there_until_it_is_removed() -> Result<(), Failure> {
        let keyring = keyring();
        assert_eq!(keyring.read("work")?, None);
        assert!(!keyring.remove("work")?);
        keyring.store("work", "gwt_1")?;
        keyring.store("work", "gwt_2")?;
        keyring.store("home", "gwt_3")?;
        assert_eq!(keyring.read("work")?.as_deref(), Some("gwt_2"));
        assert!(keyring.remove("work")?);
        assert_eq!(keyring.read("work")?, None);
        assert_eq!(keyring.read("home")?.as_deref(), Some("gwt_3"));
        Ok(())
    }

    #[test]
    fn failures_say_what_to_do_and_quote_no_token() {
        let keyring = keyring();
        let failures = [
            Error::NoStorageAccess("the collection is locked".into()),
            Error::PlatformFailure("org.freedesktop.DBus.Error.NoReply".into()),
            Error::BadEncoding(b"gwt_secret\xff".to_vec()),
            Error::BadDataFormat(b"gwt_secret".to_vec(), "gwt_secret".into()),
            Error::Ambiguous(Vec::new()),
            Error::TooLong("password".to_owned(), 2560),
            Error::NotSupportedByStore("reading".to_owned()),
        ]
        .map(|error| fail(&keyring, error));
        let shown = format!("{failures:#?}");
        assert!(!shown.contains("gwt_secret"), "{shown}");
        insta::assert_snapshot!(shown);
    }
}
