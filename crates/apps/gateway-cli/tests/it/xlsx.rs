//! Workbooks: where they are written, and failures to write them.

use std::fs;
use std::process::Command;

use gateway_testkit::raw_server::RawServer;

use crate::run::{ClosedPort, Person, code, serve, stderr, stdout};

/// A service with two records, the second of which has text that is too long for a cell.
fn service() -> RawServer {
    let long = "x".repeat(32_768);
    serve(format!(r#"[{{"id":"007","project":"=1+1"}},{{"id":"8","project":"{long}"}}]"#))
}

#[test]
fn a_workbook_goes_to_a_file_or_a_pipe_but_not_to_a_terminal() {
    let server = service();
    let person = Person::of_service(&server.uri(""));
    let args = ["vacancies", "list", "--filter", "id=007"];
    let file = person.run(&[&args[..], &["--output-file", "v.xlsx"]].concat());
    assert_eq!(code(&file), 0, "{}", stderr(&file));
    let path = person.home.path().join("v.xlsx");
    let file = fs::read(&path).unwrap();
    let piped = person.run(&[&args[..], &["-o", "xlsx"]].concat());
    assert_eq!(code(&piped), 0, "{}", stderr(&piped));
    for workbook in [&file, &piped.stdout] {
        assert!(workbook.starts_with(b"PK\x03\x04"), "not a ZIP file");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let nobody = ClosedPort::new();
    let person = Person::of_service(&nobody.url()).on_terminal(80);
    let refused = person.run(&["vacancies", "list", "-o", "xlsx"]);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    let text = "cannot print xlsx on a terminal: it is not text";
    assert!(stderr(&refused).contains(text), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("--output-file FILE.xlsx"), "{}", stderr(&refused));
    assert_eq!(stdout(&refused), "");
}

#[test]
fn a_text_that_no_cell_holds_is_an_error() {
    let server = service();
    let person = Person::of_service(&server.uri(""));
    let output = person.run(&["vacancies", "list", "--output-file", "v.xlsx"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let text = "the text of `project` in record 2 is longer than the 32767 characters that a cell holds; use -o csv";
    assert!(stderr(&output).contains(text), "{}", stderr(&output));
    assert_eq!(fs::read_dir(person.home.path()).unwrap().count(), 0);
}

#[test]
fn an_incomplete_list_leaves_nothing() {
    let server = serve(r#"[{"id":"007","project":"x"},"#);
    let person = Person::of_service(&server.uri(""));
    assert_ne!(code(&person.run(&["vacancies", "list", "--output-file", "v.xlsx"])), 0);
    assert_eq!(fs::read_dir(person.home.path()).unwrap().count(), 0);
    let piped = person.run(&["vacancies", "list", "-o", "xlsx"]);
    assert_ne!(code(&piped), 0);
    assert!(piped.stdout.is_empty());
}

/// The library for workbooks panics when its temporary file cannot be written.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error() {
    let record = format!(r#"{{"id":"1","project":"{}"}}"#, "x".repeat(1000));
    let server = serve(format!("[{}]", vec![record; 1000].join(",")));
    let person = Person::of_service(&server.uri(""));
    let program = person.command(&["vacancies", "list", "-o", "xlsx"]);
    let mut shell = Command::new("sh");
    // Files are limited to a few hundred blocks; writing more is an error.
    let script = "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\"";
    shell.args(["-c", script]).arg(program.get_program()).args(program.get_args()).env_clear();
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = shell.output().unwrap();
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("the disk may be full"), "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
}
