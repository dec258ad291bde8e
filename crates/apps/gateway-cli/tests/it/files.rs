//! Output files, which are written atomically.

use std::fs;
use std::path::Path;

use crate::run::{Person, code, serve, stderr};

/// Returns the file names in the user's folder.
pub(crate) fn names(person: &Person) -> Vec<String> {
    let entries = fs::read_dir(person.home.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_truncated_list_leaves_the_old_file() {
    let server = serve(r#"[{"id":"1"}"#);
    let person = Person::of_service(&server.uri(""));
    fs::write(person.home.path().join("v.csv"), "old").unwrap();
    assert_ne!(code(&person.run(&["vacancies", "list", "--output-file", "v.csv"])), 0);
    assert_eq!(fs::read_to_string(person.home.path().join("v.csv")).unwrap(), "old");
    assert_eq!(names(&person), ["v.csv"]);
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;

    let server = serve(r#"[{"id":"1"}]"#);
    let person = Person::of_service(&server.uri(""));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let write = |name: &str| {
        let output = person.run(&["vacancies", "list", "--output-file", name]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        person.home.path().join(name)
    };
    let file = write("v.csv");
    assert_eq!(mode(&file), 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o664)).unwrap();
    assert_eq!(mode(&write("v.csv")), 0o664);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_a_link() {
    use std::os::unix::fs::symlink;

    let server = serve(r#"[{"id":"1"}]"#);
    let person = Person::of_service(&server.uri(""));
    let at = |name: &str| person.home.path().join(name);
    fs::create_dir(at("data")).unwrap();
    // A dangling link to another link in a different folder.
    symlink("data/current.csv", at("v.csv")).unwrap();
    symlink("today.csv", at("data/current.csv")).unwrap();
    for _ in 0..2 {
        let output = person.run(&["vacancies", "list", "--output-file", "v.csv"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(fs::read_link(at("v.csv")).unwrap(), Path::new("data/current.csv"));
        assert_eq!(fs::read_link(at("data/current.csv")).unwrap(), Path::new("today.csv"));
        assert_eq!(fs::read_to_string(at("data/today.csv")).unwrap(), "id,project\r\n1,\r\n");
    }
    symlink("round.csv", at("round.csv")).unwrap();
    assert_eq!(code(&person.run(&["vacancies", "list", "--output-file", "round.csv"])), 2);
}

#[test]
fn a_write_error_names_only_the_output_file() {
    let person = Person::of_service("http://127.0.0.1:9");
    let output = person.run(&["vacancies", "list", "--output-file", "none/v.csv"]);
    let message = "error: cannot write none/v.csv\n  cause: no such folder\n";
    assert_eq!((code(&output), stderr(&output)), (2, message));
    fs::write(person.home.path().join("file"), "").unwrap();
    let output = person.run(&["vacancies", "list", "--output-file", "file/v.csv"]);
    assert_eq!(code(&output), 2);
    assert!(!stderr(&output).contains(".part"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn files_of_others_and_read_only_files_are_refused() {
    use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};

    let person = Person::of_service("http://127.0.0.1:9");
    let at = |name: &str| person.home.path().join(name);
    let refused = |name: &str, cause: &str| {
        let output = person.run(&["vacancies", "list", "--output-file", name]);
        let message = format!("error: cannot write {name}\n  cause: {cause}\n");
        assert_eq!((code(&output), stderr(&output)), (2, message.as_str()));
    };
    fs::write(at("v.csv"), "old").unwrap();
    fs::set_permissions(at("v.csv"), fs::Permissions::from_mode(0o444)).unwrap();
    refused("v.csv", "the file is read-only");
    assert_eq!(fs::read_to_string(at("v.csv")).unwrap(), "old");
    fs::create_dir(at("shared")).unwrap();
    fs::set_permissions(at("shared"), fs::Permissions::from_mode(0o1777)).unwrap();
    symlink("../victim.csv", at("shared/v.csv")).unwrap();
    // Only root can change the owner of a link.
    if lchown(at("shared/v.csv"), Some(12345), None).is_ok() {
        refused(
            "shared/v.csv",
            "shared/v.csv is another user's symbolic link in a world-writable folder",
        );
        assert!(!at("victim.csv").exists());
    }
    fs::create_dir(at("victim")).unwrap();
    symlink("../victim", at("shared/folder")).unwrap();
    if lchown(at("shared/folder"), Some(12345), None).is_ok() {
        refused(
            "shared/folder/v.csv",
            "shared/folder is another user's symbolic link in a world-writable folder",
        );
        symlink("shared/folder", at("own")).unwrap();
        refused(
            "own/v.csv",
            "./shared/folder is another user's symbolic link in a world-writable folder",
        );
        assert_eq!(fs::read_dir(at("victim")).unwrap().count(), 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    let person = Person::new();
    for args in [&["--help"][..], &["-h"], &["--version"], &["credits", "get", "--help"]] {
        let mut command = person.command(args);
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        command.stdout(full).stderr(std::process::Stdio::piped());
        let output = crate::process::Process::start(command).end();
        assert_eq!(code(&output), 1, "{args:?}");
        assert!(stderr(&output).contains("No space left"), "{args:?}: {}", stderr(&output));
    }
}
