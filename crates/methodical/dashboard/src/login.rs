//! Readers with passwords, and the limit on guesses.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};

use crate::dashboard::Error;

/// The people who may log in to a dashboard. In text form, each is a line with the name, `all` or `mask`, and the hash
/// of the password.
///
/// ```
/// use methodical_dashboard::Readers;
///
/// let mut readers = Readers::default();
/// readers.add("ana", "correct horse battery", true)?;
/// assert_eq!(Readers::parse(&readers.to_string())?.names().collect::<Vec<_>>(), [("ana", true)]);
/// assert!(readers.remove("ana") && readers.is_empty());
/// # Ok::<(), methodical_dashboard::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Readers(BTreeMap<String, Reader>);

#[derive(Clone, PartialEq, Eq)]
struct Reader {
    masks: bool,
    hash: String,
}

impl Readers {
    /// Parses the text form of the readers.
    ///
    /// # Errors
    ///
    /// Fails if a line does not describe a reader.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut readers = Self::default();
        for (line, number) in text.lines().zip(1..) {
            let parts: Vec<&str> = line.split_whitespace().collect();
            let (name, masks, hash) = match *parts {
                [name, masks @ ("all" | "mask"), hash] => (name, masks == "mask", hash),
                _ => return Err(unreadable(number)),
            };
            PasswordHash::new(hash).map_err(|_error| unreadable(number))?;
            let reader = Reader { masks, hash: hash.to_owned() };
            readers.0.insert(name.to_owned(), reader);
        }
        Ok(readers)
    }

    /// Adds a reader, or replaces the password and permissions of an existing one and ends that reader's sessions. If
    /// `masks` is true, personal values are hidden and the reader cannot reveal them.
    ///
    /// # Errors
    ///
    /// Fails unless the name consists of 1 to 64 ASCII letters, digits and the characters `.-_@`, and the password has
    /// 12 to 1,000 characters.
    pub fn add(&mut self, name: &str, password: &str, masks: bool) -> Result<(), Error> {
        let is_plain = |one: char| one.is_ascii_alphanumeric() || ".-_@".contains(one);
        if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
            return Err(Error::new(
                "cannot add the reader: the name must have 1 to 64 ASCII letters, digits or `.-_@`",
            ));
        }
        if !(12..=1000).contains(&password.chars().count()) {
            return Err(Error::new(
                "cannot add the reader: the password needs 12 to 1,000 characters",
            ));
        }
        let hash = argon2().hash_password(password.as_bytes());
        let hash = hash.map_err(|_error| Error::new("cannot add the reader: no random numbers"))?;
        self.0.insert(name.to_owned(), Reader { masks, hash: hash.to_string() });
        Ok(())
    }

    /// Removes a reader and ends their sessions. Returns whether the reader existed.
    pub fn remove(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some()
    }

    /// Returns the name of each reader, in byte order, and whether personal values are hidden from that reader.
    pub fn names(&self) -> impl Iterator<Item = (&str, bool)> {
        self.0.iter().map(|(name, reader)| (&**name, reader.masks))
    }

    /// Returns whether the list of readers is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a reader's password hash, and whether personal values are hidden.
    pub(crate) fn get(&self, name: &str) -> Option<(&str, bool)> {
        self.0.get(name).map(|reader| (&*reader.hash, reader.masks))
    }

    /// Checks a password and returns the hash if it is right. An unknown name takes as long as a wrong password.
    pub(crate) fn verify(&self, name: &str, password: &str) -> Option<&str> {
        let known = self.get(name).map(|(hash, _)| hash);
        let hash = PasswordHash::new(known.unwrap_or(NOBODY)).ok()?;
        argon2().verify_password(password.as_bytes(), &hash).ok()?;
        known
    }
}

/// Returns the hash function, with the costs for new passwords.
fn argon2() -> Argon2<'static> {
    let costs = Params::new(MEMORY, 1, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, costs)
}

fn unreadable(line: u32) -> Error {
    Error::new(format!(
        "cannot read the readers: line {line} does not describe a reader; remove it, and add its reader again"
    ))
}

impl fmt::Display for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, Reader { masks, hash })| {
            writeln!(f, "{name} {} {hash}", if *masks { "mask" } else { "all" })
        })
    }
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The login attempts, by name and by address. Keys share the counters, so that attackers cannot fill the memory.
pub(crate) struct Guesses {
    /// The start of each counter's period, and the attempts in that period.
    counters: Vec<(i64, u32)>,
    keys: RandomState,
}

impl Guesses {
    pub(crate) fn new() -> Self {
        Self { counters: vec![(0, 0); COUNTERS], keys: RandomState::new() }
    }

    /// Counts an attempt. Returns false if there were too many before it.
    pub(crate) fn count(&mut self, name: &str, address: &str, now: i64) -> bool {
        let mut is_allowed = true;
        for (kind, key, limit) in [(0, name, OF_NAME), (1, address, OF_ADDRESS)] {
            let Some((begin, count)) = self.counter(kind, key) else { continue };
            if !(*begin..begin.saturating_add(PERIOD)).contains(&now) {
                (*begin, *count) = (now, 0);
            }
            *count = count.saturating_add(1);
            is_allowed &= *count <= limit;
        }
        is_allowed
    }

    /// Forgets all attempts for a name that has logged in, and this attempt from the address.
    pub(crate) fn forgive(&mut self, name: &str, address: &str) {
        if let Some((_, count)) = self.counter(0, name) {
            *count = 0;
        }
        if let Some((_, count)) = self.counter(1, address) {
            *count = count.saturating_sub(1);
        }
    }

    fn counter(&mut self, kind: u8, key: &str) -> Option<&mut (i64, u32)> {
        let place = self.keys.hash_one((kind, key)) % COUNTERS as u64;
        self.counters.get_mut(usize::try_from(place).ok()?)
    }
}

/// A hash that no password has, with the same costs as all others.
const NOBODY: &str = "$argon2id$v=19$m=47104,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Memory of a hash, in KiB: a value that OWASP recommends, and more than an allocator keeps after use.
const MEMORY: u32 = 46 * 1024;

/// Number of counters of attempts.
const COUNTERS: usize = 16 * 1024;

/// Maximum number of attempts for a name in a period.
const OF_NAME: u32 = 10;

/// Maximum number of attempts from an address in a period.
const OF_ADDRESS: u32 = 30;

/// Period for counting attempts, in seconds.
pub(crate) const PERIOD: i64 = 15 * 60;

#[cfg(test)]
mod tests {
    use super::*;

    /// The time of a hash depends only on its algorithm and costs, so both take equally long.
    #[test]
    fn an_unknown_name_costs_as_much_as_a_wrong_password() {
        let mut readers = Readers::default();
        readers.add("ana", "correct horse battery", false).unwrap();
        let (own, _) = readers.get("ana").unwrap();
        let [own, nobody] = [own, NOBODY].map(|hash| PasswordHash::new(hash).unwrap());
        assert_eq!(own.algorithm, nobody.algorithm);
        assert_eq!((own.version, own.params), (nobody.version, nobody.params));
        assert_eq!(own.hash.map(|hash| hash.len()), nobody.hash.map(|hash| hash.len()));
    }
}
