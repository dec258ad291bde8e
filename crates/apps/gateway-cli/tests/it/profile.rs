//! Profiles: they are listed, chosen and removed with their tokens, which are never shown.

use std::fs;
use std::path::PathBuf;

use crate::run::{Person, TOKEN, code, stderr, stdout};

fn settings(person: &Person, name: &str) -> PathBuf {
    person.config().join("gateway").join(name)
}

/// Creates a person with the profiles `home` and `work`, of which only `work` has a stored token.
fn person() -> Person {
    let person = Person::new();
    let folder = settings(&person, "");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), CONFIG).unwrap();
    let login = ["--profile", "work", "auth", "login", "--unchecked", "--token-stdin"];
    assert_eq!(code(&person.run_with(TOKEN, &login)), 0);
    person
}

fn config(person: &Person) -> String {
    fs::read_to_string(settings(person, "config.toml")).unwrap()
}

fn tokens(person: &Person) -> String {
    fs::read_to_string(settings(person, "tokens.toml")).unwrap()
}

#[test]
fn the_default_profile_yields_to_the_environment_and_the_flag() {
    let person = person();
    let active = |person: &Person, args: &[&str]| {
        let all = [&["config", "get", "profile"], args].concat();
        stdout(&person.run(&all)).trim_end().to_owned()
    };
    assert_eq!(active(&person, &[]), "default");
    let mut shown = person.see(&["profile", "use", "work"]);
    assert_eq!(active(&person, &[]), "work");
    assert_eq!(active(&person, &["--profile", "home"]), "home");
    shown += &person.see(&["config", "list", "-o", "table"]);
    let person = person.with("GATEWAY_PROFILE", "home");
    assert_eq!(active(&person, &[]), "home");
    assert_eq!(active(&person, &["--profile", "work"]), "work");
    shown += &person.see(&["profile", "use", "work"]);
    shown += &person.see(&["profile", "use", "office"]);
    let person = person.with("GATEWAY_PROFILE", "");
    shown += &person.see(&["profile", "use", "default"]);
    assert_eq!(active(&person, &[]), "default");
    assert!(!config(&person).contains("default-profile"));
    insta::assert_snapshot!(shown);
}

#[test]
fn a_removed_profile_leaves_nothing_behind() {
    let person = person();
    person.run(&["profile", "use", "work"]);
    let removed = person.run(&["profile", "remove", "work"]);
    let said = "note: removed profile work\nnote: the default profile is now default\n";
    assert_eq!(stderr(&removed), said);
    assert_eq!(tokens(&person), "");
    assert_eq!(config(&person), CONFIG.split("\n# the office").next().unwrap());
}

const CONFIG: &str = "\
# mine
[profile.home]
base-url = \"https://home.example\" # at home

# the office
[profile.work]
base-url = \"https://work.example\"
timeout = 9
";
