//! The password from the environment or from a password file, as libpq finds them.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::{fs, io};

/// Where passwords are that the URL does not contain.
pub(super) struct Passwords {
    /// The value of `PGPASSWORD`.
    pub(super) password: Option<String>,
    /// The password file, which need not exist.
    pub(super) file: Option<PathBuf>,
}

/// A connection that needs a password.
pub(super) struct Wanted {
    /// Each of them may be in the file.
    pub(super) hosts: Vec<String>,
    pub(super) port: u16,
    pub(super) user: String,
    pub(super) database: String,
}

/// Returns the password of a connection. The file is read anew for each connection, so that it can be changed while
/// servers run.
///
/// # Errors
///
/// A warning, if the file must not be used.
pub(super) fn find(passwords: &Passwords, wanted: &Wanted) -> Result<Option<String>, String> {
    if let Some(password) = &passwords.password {
        return Ok(Some(password.clone()));
    }
    let Some(path) = &passwords.file else { return Ok(None) };
    let name = path.display();
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(format!("warning: cannot read the password file {name}: {error}"));
        }
    };
    if !metadata.is_file() {
        return Err(format!(
            "warning: the password file {name} is ignored: it is not a plain file"
        ));
    }
    if metadata.mode() & OTHERS != 0 {
        return Err(format!(
            "warning: the password file {name} is ignored: other users can access it; set its mode to 0600"
        ));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| format!("warning: cannot read the password file {name}: {error}"))?;
    Ok(text.lines().find_map(|line| password_of(line, wanted)))
}

/// Returns whether a file with a private key is safe from other users. The group may read a file of root.
pub(super) fn is_private(metadata: &fs::Metadata) -> bool {
    let forbidden = if metadata.uid() == 0 { OTHERS_OF_ROOT } else { OTHERS };
    metadata.mode() & forbidden == 0
}

/// Returns the password of a line `host:port:database:user:password` that applies to a connection.
fn password_of(line: &str, wanted: &Wanted) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    let mut applies = |values: &[&str]| {
        let (field, after) = split_field(rest)?;
        rest = after;
        (field == "*" || values.contains(&&*unescaped(field))).then_some(())
    };
    let hosts: Vec<&str> = wanted.hosts.iter().map(String::as_str).collect();
    applies(&hosts)?;
    applies(&[&wanted.port.to_string()])?;
    applies(&[&wanted.database])?;
    applies(&[&wanted.user])?;
    let password = split_field(rest).map_or(rest, |(password, _)| password);
    Some(unescaped(password))
}

/// Splits before the first colon that no backslash escapes.
fn split_field(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    let end = text.find(|letter| {
        let ends = letter == ':' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    })?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

fn unescaped(field: &str) -> String {
    let mut letters = field.chars();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        text.push(if letter == '\\' { letters.next().unwrap_or(letter) } else { letter });
    }
    text
}

/// Rights of the group and of others.
const OTHERS: u32 = 0o077;

/// Rights that a key of root must not give.
const OTHERS_OF_ROOT: u32 = 0o037;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn wanted(host: &str) -> Wanted {
        Wanted {
            hosts: vec![host.to_owned()],
            port: 5432,
            user: "u:1".to_owned(),
            database: "d".to_owned(),
        }
    }

    #[test]
    fn the_first_line_that_applies_gives_the_password() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pgpass");
        let text = "# h:5432:d:u\\:1:comment\nother:*:*:*:no\nh:1:d:u\\:1:no\nshort:line\n\
                    h:5432:d:u\\:1:p\\:q\\\\r\n*:*:*:*:last\n";
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let passwords = Passwords { password: None, file: Some(file.clone()) };
        assert_eq!(find(&passwords, &wanted("h")).unwrap().as_deref(), Some("p:q\\r"));
        assert_eq!(find(&passwords, &wanted("x")).unwrap().as_deref(), Some("last"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let warning = find(&passwords, &wanted("h")).unwrap_err();
        assert!(warning.contains("set its mode to 0600") && !warning.contains("p:q"), "{warning}");
        let passwords = Passwords { password: Some("own".to_owned()), file: Some(file) };
        assert_eq!(find(&passwords, &wanted("h")).unwrap().as_deref(), Some("own"));
    }

    #[test]
    fn a_password_file_that_cannot_be_read_is_a_warning() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pgpass");
        fs::write(&file, "*:*:*:*:canary").unwrap();
        for (path, expected) in [
            (directory.path().to_owned(), "is ignored: it is not a plain file"),
            (file.join("below"), "below: Not a directory"),
        ] {
            let passwords = Passwords { password: None, file: Some(path) };
            let warning = find(&passwords, &wanted("h")).unwrap_err();
            assert!(warning.starts_with("warning: ") && warning.contains(expected), "{warning}");
        }
    }

    #[test]
    fn a_password_file_need_not_exist() {
        let passwords = Passwords { password: None, file: Some("/nowhere/pgpass".into()) };
        assert_eq!(find(&passwords, &wanted("h")).unwrap(), None);
    }
}
