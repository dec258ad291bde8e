//! Output files: there whole, or not at all.

use std::fs;

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::run::{Person, code, stderr};

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n[{\"id\":\"1\"}";

/// The names in the person's folder.
pub(crate) fn names(person: &Person) -> Vec<String> {
    let entries = fs::read_dir(person.home.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_name_decides_the_format() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        connection.send(HEAD);
        connection.send(b"]");
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri(""));
    for (name, content) in [
        ("v.csv", "id,project\r\n1,\r\n"),
        ("v.ndjson", "{\"id\":\"1\"}\n"),
        ("v.json", "[\n{\"id\":\"1\"}\n]\n"),
        ("v.txt", "ID  PROJECT\n1\n"),
    ] {
        let output = person.run(&["vacancies", "list", "--output-file", name]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(output.stdout.is_empty());
        assert_eq!(fs::read_to_string(person.home.path().join(name)).unwrap(), content);
    }
    assert_eq!(names(&person), ["v.csv", "v.json", "v.ndjson", "v.txt"]);
    let output = person.run(&["vacancies", "list", "--output-file", "none/v.csv"]);
    assert_eq!(code(&output), 2);
}

#[test]
fn a_list_that_was_cut_leaves_the_old_file() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        connection.send(HEAD);
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri(""));
    fs::write(person.home.path().join("v.csv"), "old").unwrap();
    let output = person.run(&["vacancies", "list", "--output-file", "v.csv"]);
    assert_ne!(code(&output), 0);
    assert_eq!(fs::read_to_string(person.home.path().join("v.csv")).unwrap(), "old");
    assert_eq!(names(&person), ["v.csv"]);
}
