//! The names of settings and of profiles.

use crate::failure::Failure;
use crate::suggest::closest;

/// Checks a profile name: letters, digits, `-` and `_`, so that it is a plain TOML key and never a path.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if begins && name.len() <= 64 && name.bytes().all(plain) {
        return Ok(());
    }
    Err(Failure::usage(format!("invalid profile name `{name}`"))
        .hint("use up to 64 letters, digits, `-` and `_`, beginning with a letter or digit"))
}

/// Checks the name of a setting of a profile.
pub(crate) fn check_key(key: &str) -> Result<(), Failure> {
    check_known(key, &KEYS)
}

/// Checks that the name of a setting is one of these.
pub(crate) fn check_known(key: &str, known: &[&str]) -> Result<(), Failure> {
    if known.contains(&key) {
        return Ok(());
    }
    let all = known.join(", ");
    let hint = match closest(key, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? All settings: {all}"),
        None => format!("the settings are {all}"),
    };
    Err(Failure::usage(format!("unknown setting `{key}`")).hint(hint))
}

/// The settings of a profile.
pub(crate) const KEYS: [&str; 8] = [
    "base-url",
    "token-file",
    "token-command",
    "token-keyring",
    "token-for",
    "allow-insecure-http",
    "timeout",
    "mirror",
];

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn profile_names_are_plain_keys_and_never_paths() {
        for good in ["default", "a", "7", "Work_2-b", &"x".repeat(64)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a\\b",
            "a.b",
            "-a",
            "_a",
            "a b",
            "a\0",
            "a\n",
            "é",
            "\u{ff0f}",
            "~",
            "$HOME",
            "a:b",
            "a*",
            "%2e%2e",
            "\u{202e}a",
            "a]",
            "\"",
            "'",
            "a=b",
            "#",
            &long,
        ] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
