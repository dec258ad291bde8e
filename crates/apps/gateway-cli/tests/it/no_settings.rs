//! Missing and invalid settings: commands that do not need them still work.

use std::fs;
use std::process::Command;

use crate::process::Process;
use crate::run::{Person, TOKEN, code, serve, stderr};

/// Runs a command. Returns its exit code and standard error.
fn end(command: Command) -> (i32, String) {
    let output = Process::start_piped(command).end();
    (code(&output), stderr(&output).to_owned())
}

/// As in a container or a cron job.
#[test]
fn without_a_folder_there_are_no_settings() {
    let server = serve(r#"{"credits_number":"1","currency":"EUR"}"#);
    let person = Person::of_service(&server.uri(""));
    let homeless = |args: &[&str], home: Option<&str>| {
        let mut command = person.command(args);
        command.env_remove("XDG_CONFIG_HOME");
        if let Some(home) = home {
            command.env("HOME", home);
        }
        end(command)
    };
    let mut shown = String::new();
    for home in [None, Some("/dev/null"), Some("relative")] {
        assert_eq!(homeless(&["credits", "get"], home), (0, String::new()), "{home:?}");
        let (code, said) = homeless(&["config", "list"], home);
        assert_eq!(code, 0, "{said}");
    }
    for args in [
        &["config", "set", "timeout", "5"][..],
        &["config", "path"],
        &["auth", "login", "--unchecked"],
        &["credits", "get", "--profile", "work"],
    ] {
        let (code, said) = homeless(args, None);
        assert_eq!(code, 2, "{args:?}: {said}");
        shown += &said;
    }
    let person = Person::new().with("XDG_DATA_HOME", "");
    for args in [
        &["mirror", "sync", "--to", "m.db"][..],
        &["credits", "get", "--base-url", "https://gateway.example.com"],
        &["board"],
        &["--demo", "board"],
    ] {
        let mut command = person.command(args);
        command.env_remove("XDG_CONFIG_HOME");
        shown += &end(command).1;
    }
    assert!(!shown.contains(TOKEN));
    insta::assert_snapshot!(shown);
}

#[cfg(feature = "demo")]
#[test]
fn the_sample_service_needs_no_settings() {
    let person = Person::new();
    let folder = person.config().join("gateway");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "[").unwrap();
    fs::write(folder.join("tokens.toml"), "[").unwrap();
    assert_eq!(end(person.command(&["--demo", "credits", "get"])), (0, String::new()));
    let (code, said) = end(person.command(&["--demo", "credits", "get", "--profile", "x"]));
    assert!(code == 2 && said.contains("cannot use --profile with --demo"), "{code}: {said}");
    let mut command = person.command(&["--demo", "credits", "get"]);
    command.env_remove("XDG_CONFIG_HOME");
    assert_eq!(end(command), (0, String::new()));
}

#[test]
fn only_commands_that_need_the_token_read_the_token_file() {
    let person = Person::new();
    let folder = person.config().join("gateway");
    fs::create_dir_all(&folder).unwrap();
    let settings = "[profile.default]\nbase-url = \"https://gateway.example.com\"\n";
    fs::write(folder.join("config.toml"), settings).unwrap();
    fs::write(folder.join("tokens.toml"), "[").unwrap();
    let shown = [
        &["config", "set", "timeout", "5"][..],
        &["config", "list", "-o", "table"],
        &["config", "get", "timeout"],
        &["credits", "get", "--dry-run"],
        &["credits", "get"],
    ]
    .map(|args| person.see(args));
    insta::assert_snapshot!(shown.join("\n"));
}
