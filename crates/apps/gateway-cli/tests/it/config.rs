//! Settings: precedence and validation.

use std::fs;

use crate::run::{Person, TOKEN, code, stderr};

#[test]
fn flags_take_precedence_over_the_environment_and_the_profile() {
    let person = Person::new();
    assert_eq!(code(&person.run(&["config", "set", "base-url", "https://profile.example"])), 0);
    assert_eq!(code(&person.run(&["config", "set", "timeout", "7"])), 0);
    let work = &["--profile", "work", "config", "set", "token-command", "pass show gateway"];
    assert_eq!(code(&person.run(work)), 0);
    let list: &[&str] = &["config", "list", "-o", "table"];
    let mut shown = person.see(list);
    let person = person.with("GATEWAY_BASE_URL", "https://environment.example");
    shown += &person.see(list);
    shown += &person.see(&["config", "get", "base-url", "--base-url", "https://flag.example"]);
    let person = person.with("GATEWAY_PROFILE", "work").with("GATEWAY_TOKEN", TOKEN);
    shown += &person.see(list);
    shown += &person.see(&["config", "path"]);
    let file = fs::read_to_string(person.config().join("gateway/config.toml")).unwrap();
    shown += &person.see(&["config", "unset", "token-command"]);
    shown += &person.see(&["config", "unset", "token-command"]);
    insta::assert_snapshot!(shown);
    insta::assert_snapshot!(file);
}

#[test]
fn comments_are_kept_and_unknown_settings_are_refused() {
    let person = Person::new();
    let path = person.config().join("gateway/config.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "# mine\n[profile.default]\ntimeout = 5 # seconds\n").unwrap();
    person.run(&["config", "set", "base-url", "https://h.example"]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# mine\n[profile.default]\ntimeout = 5 # seconds\n"), "{text}");
    let mut shown = String::new();
    for wrong in [
        "[profile.default]\nbase-ulr = \"x\"\n",
        "base-url = \"x\"\n",
        "[profile.default]\ntimeout = \"x\"\n",
        "[",
        "[profile.\"../x\"]\n",
    ] {
        fs::write(&path, wrong).unwrap();
        shown += &person.see(&["config", "list"]);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn invalid_values_and_unknown_profiles_are_refused() {
    let person = Person::new().with("GATEWAY_TOKEN", TOKEN);
    let unknown =
        "error: unknown profile `typo`\n  hint: create it with `gateway --profile typo config set";
    for (line, said) in [
        (
            "config set base-url nonsense",
            "error: cannot use the base URL: it is invalid; expected a URL such as",
        ),
        ("config set base-url https://h/?x=1", "error: cannot use the base URL: it has a query"),
        ("config set base-url https://h/c/oauth/v1", "error: cannot use the base URL: it ends in"),
        ("config set token-command 'pass", "error: `token-command` must be a program with"),
        ("config get tokn", "error: unknown setting `tokn`\n  hint: did you mean `token`? All"),
        ("config get timeout", "error: `timeout` is not set\n"),
        ("config list --profile typo", unknown),
        ("config get timeout --profile typo", unknown),
        ("config unset timeout --profile typo", unknown),
        ("auth logout --profile typo", unknown),
    ] {
        let output = person.run_line(line);
        assert_eq!(code(&output), 2, "{line}");
        assert!(stderr(&output).starts_with(said), "{line}: {}", stderr(&output));
    }
}

#[test]
fn an_invalid_base_url_is_named_as_such() {
    let person = Person::new().with("GATEWAY_TOKEN", TOKEN);
    for (url, message) in [
        ("http://h:99999", "error: cannot use the base URL: its port is invalid"),
        ("http:// h", "error: cannot use the base URL: it is invalid"),
        (
            "https://h/c/oauth/v1/",
            "error: cannot use the base URL: it ends in /c/oauth/v1\n  hint: the program adds this path itself; use https://h\n",
        ),
    ] {
        for command in
            [&["credits", "get"][..], &["auth", "login"], &["auth", "login", "--unchecked"]]
        {
            let output = person.run(&[command, &["--base-url", url]].concat());
            let said = stderr(&output);
            assert_eq!(code(&output), 2, "{said}");
            assert!(said.starts_with(message) && !said.contains("--allow-insecure"), "{said}");
        }
    }
}

#[test]
fn a_login_checks_the_base_url_before_it_asks_for_the_token() {
    let person = Person::new().with("GATEWAY_BASE_URL", "http://gateway.example.com");
    let output = person.run(&["auth", "login"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("unencrypted http"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn settings_that_another_user_can_change_are_refused() {
    use std::os::unix::fs::{PermissionsExt as _, chown};

    let person = Person::new();
    let marker = person.home.path().join("ran");
    let command = format!("sh -c 'touch {}; echo {TOKEN}'", marker.display());
    person.run(&["config", "set", "base-url", "http://127.0.0.1:9"]);
    person.run(&["config", "set", "token-command", &command]);
    let folder = person.config().join("gateway");
    let file = folder.join("config.toml");
    let set_mode = |path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    let mut shown = String::new();
    for (path, bad, good) in [(&file, 0o620, 0o644), (&folder, 0o1777, 0o755)] {
        set_mode(path, bad).unwrap();
        shown += &person.see(&["credits", "get"]);
        shown += &person.see(&["config", "set", "timeout", "1"]);
        set_mode(path, good).unwrap();
        assert_eq!(code(&person.run(&["config", "list"])), 0);
    }
    assert!(!marker.exists(), "the token command ran");
    // Only root can change the owner of a file.
    for path in [&file, &folder] {
        if chown(path, Some(12345), None).is_ok() {
            let refused = person.see(&["credits", "get"]);
            assert!(refused.contains("stderr: error: another user owns ~/config/"), "{refused}");
            chown(path, Some(0), None).unwrap();
        }
    }
    assert!(!marker.exists(), "the token command ran");
    insta::assert_snapshot!(shown);
}

/// A file that cannot be read is not one that is missing: without its settings, another account could be used.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let person = Person::new();
    person.run(&["config", "set", "base-url", "http://127.0.0.1:9"]);
    let file = person.config().join("gateway/config.toml");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&file, &file).unwrap();
    let folder = person.home.path().to_str().unwrap();
    let check = |line: &[&str], path: &str| {
        let refused = person.run(line);
        assert_eq!(code(&refused), 2);
        let (said, expected) = (stderr(&refused), format!("error: cannot read {path}\n"));
        assert!(said.starts_with(&expected), "{said}");
    };
    check(&["config", "list"], file.to_str().unwrap());
    check(&["tap", "--config", folder], folder);
}
