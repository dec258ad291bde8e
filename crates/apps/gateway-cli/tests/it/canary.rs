//! Every command of the program, every page of the dashboard and every fault of a service: a token, a database password
//! and personal data appear only where they belong.
//!
//! The commands come from the help of the program, so a new one fails this test until it is in [`lines::LINES`].

#[path = "../../../../../tests/canary/canaries.rs"]
mod canaries;
mod lines;
mod pages;
mod services;

use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;
use std::{fs, thread};

use crate::canary::canaries::{Canary, files, found, search_files};
use crate::canary::lines::{LINES, Line, Personal};
use crate::canary::services::{FAULTS, Response, faulty, fine};
use crate::run::{ClosedPort, Person, code, stderr, stdout};
use crate::tree::leaves;

const TOKEN: &str = "gwt_canary7f3a51c8e2token";
const PASSWORD: &str = "canary5d1e88c09password";
/// The secret of webhooks: 32 bytes in base64.
const WEBHOOK_SECRET: &str = "whsec_Y2FuYXJ5OWI0ZTEyMDctd2ViaG9vay1zZWNyZXQtMzI=";
const NAME: &str = "Zwaantje Kanarie-4b7d";
const EMAIL: &str = "kanarie4b7d@person.example";
const PHONE: &str = "+31690417552";

fn secrets() -> Vec<Canary> {
    vec![
        Canary::new("the token", TOKEN),
        Canary::new("the password", PASSWORD),
        Canary::new("the secret of webhooks", WEBHOOK_SECRET),
    ]
}

fn personal() -> Vec<Canary> {
    vec![
        Canary::new("the name", NAME),
        Canary::new("the e-mail address", EMAIL),
        Canary::new("the phone number", PHONE),
    ]
}

/// A sweep: what is searched for, and what was found.
struct Sweep {
    secrets: Vec<Canary>,
    personal: Vec<Canary>,
    hits: Vec<String>,
    /// How many outputs contained personal data where it belongs. If this is zero, the search does not work.
    belonging: usize,
}

impl Sweep {
    fn new() -> Self {
        Self { secrets: secrets(), personal: personal(), hits: Vec::new(), belonging: 0 }
    }

    /// Searches what a command has printed.
    fn search(&mut self, place: &str, output: &Output, belongs: Personal) {
        let Self { secrets, personal, hits, .. } = self;
        let of_error = found(secrets.iter().chain(&*personal), &output.stderr);
        hits.extend(of_error.iter().map(|name| format!("{name} in the errors of {place}")));
        let of_output = found(&*secrets, &output.stdout);
        if belongs != Personal::Body {
            hits.extend(of_output.iter().map(|name| format!("{name} in the output of {place}")));
        }
        let of_person = found(&*personal, &output.stdout);
        if belongs == Personal::Never {
            hits.extend(of_person.iter().map(|name| format!("{name} in the output of {place}")));
        } else {
            self.belonging += of_person.len();
        }
        if stderr(output).contains("panicked at") {
            hits.push(format!("a panic of {place}: {}", stderr(output)));
        }
    }

    fn search_text(&mut self, place: &str, text: &str, belongs: Personal) {
        let output = Output {
            status: std::process::ExitStatus::default(),
            stdout: text.as_bytes().to_vec(),
            stderr: Vec::new(),
        };
        self.search(place, &output, belongs);
    }

    #[track_caller]
    fn finish(self) {
        assert_eq!(self.hits, [""; 0]);
    }
}

/// A person whose environment has all secrets and enables every log.
fn person(url: &str) -> Person {
    Person::new()
        .with("GATEWAY_BASE_URL", url)
        .with("GATEWAY_TOKEN", TOKEN)
        .with("GATEWAY_WEBHOOK_SECRET", WEBHOOK_SECRET)
        .with("PGPASSWORD", PASSWORD)
        .with("RUST_LOG", "trace")
        .with("RUST_BACKTRACE", "1")
}

/// Runs a line. `{FROM}` in it is the mirror, `{URL}` the service.
fn run(person: &Person, url: &str, line: &Line, mirror: &str) -> (String, Output) {
    let filled = |word: &str| word.replace("{FROM}", mirror).replace("{URL}", url);
    let words: Vec<String> = line.words.split(' ').map(filled).collect();
    let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
    if line.is_logged {
        args.push("-vv");
    }
    let output = person.run_with(&line.input.replace("{TOKEN}", TOKEN), &args);
    (args.join(" ").replace(PASSWORD, "…"), output)
}

#[test]
fn every_command_is_swept() {
    let swept = |path: &str| {
        LINES.iter().any(|line| line.words == path || line.words.starts_with(&format!("{path} ")))
    };
    let commands: Vec<String> = leaves().iter().map(|(path, _)| path.join(" ")).collect();
    assert!(commands.len() >= 35, "{commands:?}");
    let forgotten: Vec<&String> =
        commands.iter().filter(|path| *path != "dashboard" && !swept(path)).collect();
    assert!(forgotten.is_empty(), "add lines for {forgotten:?}");
}

/// Runs each command first with `--dry-run`, which must change no file.
#[test]
fn commands_show_no_secret_and_personal_data_only_as_their_output() {
    let service = fine();
    let person = person(&service.uri(""));
    lines::write_files(person.home.path());
    let mut sweep = Sweep::new();
    for line in LINES {
        let before = files(person.home.path());
        let dry = Line { words: format!("{} --dry-run", line.words).leak(), ..*line };
        let (place, output) = run(&person, &service.uri(""), &dry, "m.db");
        sweep.search(&place, &output, line.personal);
        assert!(files(person.home.path()) == before, "{place} changed a file");

        let (place, output) = run(&person, &service.uri(""), line, "m.db");
        assert_eq!(code(&output), line.code, "{place}: {}{}", stdout(&output), stderr(&output));
        let belongs = match line.personal {
            // This service puts no token into a body.
            Personal::Body => Personal::Printed,
            other => other,
        };
        sweep.search(&place, &output, belongs);
    }
    assert!(sweep.belonging >= 20, "personal data was found {} times", sweep.belonging);

    // The last lines have erased the person, who now occurs only in the files for readers.
    for file in lines::FILES_FOR_READERS {
        let path = person.home.path().join(file);
        assert!(!found(&sweep.personal, &fs::read(&path).unwrap()).is_empty(), "{file}");
        fs::remove_file(path).unwrap();
    }
    // A token is in the file of `auth login`, and in the configuration that the test wrote.
    let stored = person.config().join("gateway/tokens.toml");
    assert!(fs::read_to_string(&stored).unwrap().contains(TOKEN));
    fs::remove_file(stored).unwrap();
    fs::remove_file(person.home.path().join("config.json")).unwrap();
    let all: Vec<Canary> = secrets().into_iter().chain(personal()).collect();
    search_files(&all, person.home.path(), &mut sweep.hits);
    sweep.finish();
}

#[test]
fn faults_of_a_service_show_no_secret_and_no_personal_data() {
    assert!(LINES.iter().filter(|line| line.calls).count() >= 8);
    // Most commands wait for a fault, so the faults are tried concurrently.
    let hits: Vec<String> = thread::scope(|scope| {
        let mut sweeps = Vec::new();
        for (name, response) in FAULTS {
            sweeps.push(scope.spawn(|| sweep_fault(name, *response)));
        }
        sweeps.into_iter().flat_map(|sweep| sweep.join().unwrap().hits).collect()
    });
    assert_eq!(hits, [""; 0]);
}

/// Runs each command that calls the service against a service with this fault.
fn sweep_fault(name: &str, response: Response) -> Sweep {
    let mut sweep = Sweep::new();
    let service = faulty(response);
    for line in LINES.iter().filter(|line| line.calls) {
        let person = person(&service.uri(""));
        lines::write_files(person.home.path());
        let (place, output) = run(&person, &service.uri(""), line, "m.db");
        assert_ne!(code(&output), 101, "{place}");
        let place = format!("{place}, with {name}");
        sweep.search(&place, &output, line.personal);
        fs::remove_file(person.home.path().join("config.json")).unwrap();
        for file in lines::FILES_FOR_READERS {
            drop(fs::remove_file(person.home.path().join(file)));
        }
        fs::remove_dir_all(person.config()).ok();
        search_files(&sweep.secrets, person.home.path(), &mut sweep.hits);
    }
    sweep
}

/// People may put the password of a database into its URL.
#[test]
fn a_database_that_is_down_shows_no_password() {
    let (service, closed) = (fine(), ClosedPort::new());
    let port = closed.url().rsplit(':').next().unwrap().to_owned();
    let mut sweep = Sweep::new();
    let mut failed = 0;
    for url in [
        format!("postgres://u:{PASSWORD}@127.0.0.1:{port}/d?schema=m"),
        format!("postgres://u:{PASSWORD}@127.0.0.1:no/d"),
        format!("postgres://u@127.0.0.1:{port}/d?password={PASSWORD}&sslmode=odd"),
    ] {
        for line in LINES.iter().filter(|line| line.words.contains("{FROM}")) {
            let person = person(&service.uri(""));
            let (place, output) = run(&person, &service.uri(""), line, &url);
            failed += usize::from(code(&output) != 0);
            sweep.search(&place, &output, Personal::Never);
            search_files(&sweep.secrets, person.home.path(), &mut sweep.hits);
        }
    }
    assert!(failed > 20, "{failed} commands failed");
    sweep.finish();
}

/// Unreadable files contain the secrets for which they were written.
#[test]
fn a_bad_configuration_shows_no_secret() {
    let service = fine();
    let mut sweep = Sweep::new();
    for (file, text) in [
        ("config.toml", format!("[profiles.default]\nmirror = \"postgres://u:{PASSWORD}@h/d\n")),
        ("config.toml", format!("[profiles.default]\ntoken = \"{TOKEN}\"\n")),
        (
            "config.toml",
            format!("[profiles.default]\nmirror = [\"postgres://u:{PASSWORD}@h/d\"]\n"),
        ),
        ("config.toml", format!("{TOKEN}\n")),
        ("config.toml", format!("[profile.default]\ntoken = {TOKEN}\n")),
        ("config.toml", format!("[profile.default]\nbase-url = \"é\" {TOKEN}\n")),
        ("config.toml", format!("[profile.{TOKEN}\n")),
        ("config.toml", format!("[profile.default]\ntimeout = \"{TOKEN}")),
        ("tokens.toml", format!("default = \"{TOKEN}\n")),
        ("tokens.toml", format!("{TOKEN}\n")),
        ("tokens.toml", format!("default = [\"{TOKEN}\"]\n")),
    ] {
        let person = Person::new().with("GATEWAY_BASE_URL", &service.uri(""));
        let folder = person.config().join("gateway");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(file), &text).unwrap();
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(folder.join(file), private).unwrap();
        for args in [
            &["credits", "get", "-vv"][..],
            &["auth", "status"],
            &["auth", "logout"],
            &["config", "list"],
            &["profile", "list"],
            &["config", "set", "timeout", "9"],
        ] {
            let output = person.run(args);
            sweep.search(&format!("{args:?} with a bad {file}"), &output, Personal::Never);
        }
    }
    sweep.finish();
}
