//! Records that are larger than the record limit.

use std::process::Output;

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::run::{LIST_HEAD, Person, code, serve, stderr, stdout};

/// Starts a service with a list of three vacancies, the second of which has a field of this many bytes.
fn with_long_record(length: usize) -> RawServer {
    RawServer::start(move |_, connection: &mut Connection| {
        connection.send(LIST_HEAD);
        connection.send(br#"[{"id":"1"},{"id":"2","project":""#);
        connection.flood(&vec![b'x'; 64 << 10], length);
        connection.send(br#""},{"id":"3"}]"#);
        Next::Close
    })
    .unwrap()
}

fn list(server: &RawServer, args: &[&str]) -> Output {
    Person::of_service(&server.uri(""))
        .run(&[&["vacancies", "list", "-o", "ndjson"], args].concat())
}

#[test]
fn a_long_record_is_skipped_and_the_records_after_it_are_printed() {
    let server = with_long_record(5 << 20);
    let output = list(&server, &[]);
    assert_eq!(stdout(&output), "{\"id\":\"1\"}\n{\"id\":\"3\"}\n");
    assert_eq!(code(&output), 6);
    assert_eq!(
        stderr(&output),
        "warning: skipped record 1: record exceeds the size limit at [1] (line 1 column 13), expected at most 1048576 \
         bytes\n\
         error: skipped 1 record; all other records were written\n"
    );
    let quiet = list(&server, &["-q"]);
    assert_eq!(code(&quiet), 6);
    assert!(stderr(&quiet).starts_with("error: skipped 1 record;"), "{}", stderr(&quiet));
}

#[test]
fn a_list_of_which_no_record_can_be_read_is_an_error() {
    for (body, message) in [
        ("[{}]", "cannot read the only record of the list"),
        ("[0,null,{\"project\":\"Welder\"}]", "cannot read any of the 3 records of the list"),
    ] {
        let server = serve(body);
        let person = Person::of_service(&server.uri(""));
        let file = person.home.path().join("v.csv");
        std::fs::write(&file, "old").unwrap();
        let output = person.run(&["vacancies", "list", "--output-file", "v.csv"]);
        assert_eq!((code(&output), stdout(&output)), (5, ""));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
    }
}
