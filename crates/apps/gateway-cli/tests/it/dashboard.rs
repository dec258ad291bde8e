//! The dashboard of the sample service.

use std::fs::File;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, SystemTime};
use std::{fs, thread};

use rustix::process::Signal;

use crate::browser::{self, Browser, open};
use crate::process::Process;
use crate::run::{Person, code, stderr, stdout};

/// Starts the dashboard of the sample service, and opens it.
fn start(person: &Person, flags: &[&str]) -> (Process, Browser) {
    open(person, &[&["--demo", "dashboard"], flags].concat())
}

#[test]
fn the_sample_service_has_a_history_that_leaves_no_file() {
    let person = Person::new();
    let (process, browser) = start(&person, &[]);
    let today = browser.get("/");
    for part in ["<small>sample data</small>", " → ", " days left, as of "] {
        assert!(today.contains(part), "{part} {today}");
    }
    let board = browser.get("/funnel");
    assert!(board.contains(">Hired</th>") && board.contains("Warehouse operator"), "{board}");
    let changes = browser.get("/changes");
    for kind in ["added", "moved", "gone"] {
        assert!(changes.contains(&format!(r#"<span class="kind {kind}">"#)), "{kind} {changes}");
    }
    process.signal(Signal::TERM);
    assert!(process.wait().success());
    let left = fs::read_dir(person.home.path()).unwrap().map(|entry| entry.unwrap().path());
    let left = left.filter(|path| !path.ends_with("config") && !path.ends_with("data"));
    assert_eq!(left.collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

#[test]
fn the_history_of_the_sample_service_is_no_other_mirror() {
    let person = Person::new();
    let refused = person.run(&["--demo", "dashboard", "--from", "other.db"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("cannot use --demo with --from"), "{}", stderr(&refused));
}

/// Other users can see the arguments of a program, but not a file that only its owner can read.
#[test]
fn the_link_is_opened_through_a_private_file() {
    use std::os::unix::fs::PermissionsExt as _;

    let person = Person::new();
    let home = person.home.path().display().to_string();
    let opener = person.home.path().join("xdg-open");
    let script = "#!/bin/sh\n(ls -l \"$1\"; echo \"$1\"; cat \"$1\") > seen\n";
    fs::write(&opener, script).unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let person = person
        .on_terminal(80)
        .with("DISPLAY", ":0")
        .with("PATH", &format!("{home}:{}", std::env::var("PATH").unwrap()));
    let pipe = person.home.path().join("seen");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (give, seen) = sync_channel(1);
    thread::spawn(move || give.send(fs::read_to_string(pipe).unwrap()));
    let (process, url) = browser::start(&person, &["--demo", "dashboard"]);
    let seen = seen.recv_timeout(Duration::from_secs(60)).unwrap();
    let mut lines = seen.lines();
    let (mode, argument) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(mode.starts_with("-rw------- "), "{mode}");
    assert!(argument.starts_with(&home) && !argument.contains("/enter/"), "{argument}");
    let link = format!("{url}?from=file");
    assert!(seen.contains(&format!("content=\"0; url={link}\"")), "{seen}");
    assert!(Browser::enter(&link).get("/funnel").contains("Warehouse operator"));
    process.signal(Signal::TERM);
    assert!(process.wait().success());
    // A younger file may be in use.
    let old = SystemTime::now() - Duration::from_secs(24 * 60 * 60 + 1);
    File::open(argument).unwrap().set_modified(old).unwrap();
    let (_process, _browser) = start(&person, &["--no-open"]);
    assert!(!fs::exists(argument).unwrap(), "{argument}");
}

#[test]
fn readers_are_in_a_private_file_and_change_at_once() {
    use std::os::unix::fs::PermissionsExt as _;

    let person = Person::of_service("http://127.0.0.1:9");
    let reader = |input: &str, args: &[&str]| {
        person.run_with(input, &[&["dashboard", "reader"], args].concat())
    };
    let short = reader("short\n", &["add", "ana"]);
    assert_eq!(code(&short), 2);
    assert!(stderr(&short).contains("the password needs 12 to 1,000 characters"), "{short:?}");
    for (input, args) in [
        ("correct-horse-battery\n", &["add", "ana"][..]),
        ("correct-horse-battery", &["add", "ben", "--mask"]),
        ("", &["remove", "ana"]),
    ] {
        assert_eq!(code(&reader(input, args)), 0, "{args:?}");
    }
    assert_eq!(stdout(&reader("", &["list", "-o", "csv"])), "name,mask\r\nben,true\r\n");
    let missing = reader("", &["remove", "ana"]);
    assert_eq!((code(&missing), stderr(&missing).contains("no reader is named `ana`")), (2, true));
    let file = fs::read_dir(person.config().join("gateway")).unwrap().map(Result::unwrap);
    let file = file.map(|one| one.path()).find(|one| one.ends_with("readers-default")).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("ben mask $argon2id$") && text.lines().count() == 1, "{text}");
    // It would have no effect there.
    let misplaced = person.run_with("", &["dashboard", "--mask", "reader", "add", "eve"]);
    assert_eq!((code(&misplaced), fs::read_to_string(&file).unwrap()), (2, text));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let open = reader("", &["list"]);
    assert_eq!((code(&open), stderr(&open).contains("other users can read")), (2, true));
    let demo = person.run(&["--demo", "dashboard", "reader", "list"]);
    assert_eq!(
        (code(&demo), stderr(&demo).contains("cannot manage readers with --demo")),
        (2, true)
    );
}

#[test]
fn people_with_the_same_address_are_marked_and_addresses_are_listed_once() {
    let office = crate::placements::office();
    let (_process, browser) = open(&office.person, &["dashboard", "--no-open"]);
    let list = browser.get("/records?of=candidate");
    assert_eq!(list.matches(r#"<span class="chip missing">duplicate</span>"#).count(), 2, "{list}");
    let one = browser.get("/record?of=candidate&id=1");
    let expected = "Perhaps the same person, by e-mail address or phone: \
                    <a href=\"/record?of=candidate&#38;id=3\">Zoe</a></p>";
    assert!(one.contains(expected), "{one}");
    let today = browser.get("/");
    let card = r#"<dt>Duplicates</dt><dd><a href="/duplicates"><strong>1</strong></a>"#;
    assert!(today.contains(card), "{today}");
    let duplicates = browser.get("/duplicates");
    let same =
        duplicates.split("<h2>The same email <small>2 candidates</small></h2>").nth(1).unwrap();
    let same = same.split("</section>").next().unwrap();
    assert_eq!(same.matches("href=\"/record?of=candidate&#38;id=").count(), 2, "{duplicates}");
    assert!(same.contains("href=\"/record?of=vacancy&#38;id="), "{duplicates}");
    let addresses = browser.get("/addresses?of=candidate");
    let text = addresses.split("<textarea").nth(1).unwrap().split("</textarea>").next().unwrap();
    let text = text.split_once('>').unwrap().1.to_lowercase();
    assert_eq!(text, "1@example.com, 2@example.com");
    assert!(addresses.contains("2 addresses of"), "{addresses}");
}
