//! The values of settings, as text of a person and as TOML.

use std::path;

use toml_edit::{Array, Value};

use crate::config::names::{KEYS, check_key};
use crate::config::web_origin::origin;
use crate::failure::Failure;
use crate::name::Name;

/// Parses a setting from the command line.
pub(super) fn read(program: Name, key: &str, text: &str) -> Result<Value, Failure> {
    check_key(key)?;
    let value = match key {
        "token-command" => Value::Array(words(program, text)?.into_iter().collect::<Array>()),
        "timeout" => text.parse::<i64>().map_or_else(|_| text.into(), Value::from),
        "allow-insecure-http" | "token-keyring" => {
            text.parse::<bool>().map_or_else(|_| text.into(), Value::from)
        }
        // The next command may run in another folder.
        "token-file" if !text.is_empty() => absolute(text)?.into(),
        "mirror" if !text.is_empty() && !text.contains("://") => absolute(text)?.into(),
        _ => text.into(),
    };
    check(program, key, &value)?;
    Ok(value)
}

/// Returns a setting as a person would write it.
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::String(text) => text.value().clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            // Only a NUL cannot be quoted, and no argument can contain one.
            shlex::try_join(words.iter().copied()).unwrap_or_else(|_nul| words.join(" "))
        }
        Value::Boolean(flag) => flag.value().to_string(),
        other => other.to_string().trim().to_owned(),
    }
}

/// Refuses a value that is invalid for the setting.
pub(super) fn check(program: Name, key: &str, value: &Value) -> Result<(), Failure> {
    debug_assert!(KEYS.contains(&key), "the caller checked the name");
    let (fits, expected) = match key {
        "token-command" => (
            value
                .as_array()
                .is_some_and(|words| !words.is_empty() && words.iter().all(Value::is_str)),
            format!("a program and its arguments, such as [\"pass\", \"show\", \"{program}\"]"),
        ),
        "timeout" => (
            value.as_integer().is_some_and(|seconds| seconds > 0),
            "a number of seconds, 1 or more".to_owned(),
        ),
        "allow-insecure-http" | "token-keyring" => (value.is_bool(), "true or false".to_owned()),
        "token-for" => (
            value.as_str().is_some_and(|url| origin(url).is_some()),
            format!("a URL such as https://{program}.example.com"),
        ),
        _ => (
            value.as_str().is_some_and(|text| !text.is_empty()),
            "text that is not empty".to_owned(),
        ),
    };
    if fits { Ok(()) } else { Err(Failure::usage(format!("`{key}` must be {expected}"))) }
}

/// Splits a command as a shell does.
fn words(program: Name, text: &str) -> Result<Vec<String>, Failure> {
    // In a Windows path, a backslash is a plain character.
    let text = if cfg!(windows) { &text.replace('\\', "\\\\") } else { text };
    shlex::split(text).ok_or_else(|| {
        Failure::usage("`token-command` has an unclosed quotation mark or a trailing backslash")
            .hint(format!("quote it as in a shell: pass show 'my {program}'"))
    })
}

fn absolute(text: &str) -> Result<String, Failure> {
    let unusable = |cause: String| {
        Failure::usage(format!("cannot make `{text}` an absolute path")).because(cause)
    };
    let path = path::absolute(text).map_err(|error| unusable(error.to_string()))?;
    path.into_os_string().into_string().map_err(|_same| unusable("it is not UTF-8".to_owned()))
}

#[cfg(test)]
mod tests {
    use toml_edit::Value;

    use super::show;
    use crate::failure::Failure;
    use crate::name::Name;

    fn read(key: &str, text: &str) -> Result<Value, Failure> {
        super::read(Name::new("photos"), key, text)
    }

    /// Checks how `config get` shows a value that was set.
    #[track_caller]
    fn check(key: &str, text: &str, expected: &str) {
        let shown = read(key, text).map(|value| show(&value));
        assert_eq!(shown.unwrap_or_else(|failure| format!("{failure:?}")), expected);
    }

    #[cfg(unix)]
    #[test]
    fn a_command_is_split_as_in_a_shell() {
        let words = read("token-command", r#"sh -c "echo 'a b'" \$x ''"#).unwrap();
        assert_eq!(words.to_string(), r#"["sh", "-c", "echo 'a b'", "$x", ""]"#);
        check("token-command", "pass show photos", "pass show photos");
        check("token-command", "sh -c 'echo x'", "sh -c 'echo x'");
        for wrong in ["", " ", "sh -c 'echo", "x \\"] {
            assert!(read("token-command", wrong).is_err(), "{wrong:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_stored_as_absolute() {
        check("token-file", "/run/token", "/run/token");
        let shown = read("token-file", "tok").map(|value| show(&value)).unwrap();
        let here = std::env::current_dir().unwrap();
        assert_eq!(shown, here.join("tok").to_str().unwrap());
        assert!(read("token-file", "").is_err());
    }

    #[test]
    fn invalid_values_are_refused() {
        check("timeout", "120", "120");
        check("token-keyring", "true", "true");
        for (key, wrong) in [
            ("timeout", "0"),
            ("timeout", "-1"),
            ("timeout", "30s"),
            ("token-keyring", "yes"),
            ("base-url", ""),
            ("base-ulr", "x"),
        ] {
            assert!(read(key, wrong).is_err(), "{key} {wrong}");
        }
    }
}
