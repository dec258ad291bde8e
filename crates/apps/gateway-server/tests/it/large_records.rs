//! Records that are far larger than clients read: refused in every format, in little memory.

use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Output;

use crate::process::{acme, error, program_after, run};

/// Writes a file whose second record has a name of this many bytes.
fn write(path: &Path, before: &str, after: &str, length: usize) {
    let mut file = BufWriter::new(std::fs::File::create(path).unwrap());
    file.write_all(before.as_bytes()).unwrap();
    let piece = [b'n'; 8 * 1024];
    for _ in 0..length / piece.len() {
        file.write_all(&piece).unwrap();
    }
    file.write_all(after.as_bytes()).unwrap();
    file.flush().unwrap();
}

/// Imports a file in a process that may use 64 MiB of memory.
fn import(database: &str, file: &Path, more: &[&str]) -> Output {
    let mut command = program_after("ulimit -v 65536");
    command.args(["import", "--account", "acme", "--database", database]).args(more).arg(file);
    command.output().unwrap()
}

#[test]
fn a_huge_record_is_refused_in_a_dry_run_too() {
    let (directory, database, _token) = acme();
    let small = "{\"id\":\"1\",\"name\":\"a\"}";
    for (name, before, after) in [
        ("a.csv", "id,name\n1,a\n2,", "\n3,c\n".to_owned()),
        ("b.csv", "id,name\n1,a\n2,\"", "\"\n3,c\n".to_owned()),
        ("a.ndjson", &format!("{small}\n{{\"id\":\"2\",\"name\":\""), format!("\"}}\n{small}\n")),
        ("a.json", &format!("[{small},\n{{\"id\":\"2\",\"name\":\""), format!("\"}},{small}]")),
    ] {
        let file = directory.path().join(name);
        // Above the limit of clients, and above the limit of what is read.
        for (length, expected) in
            [(2 << 20, "clients read at most 1048576"), (100 << 20, "more than 8388608 bytes")]
        {
            write(&file, before, &after, length);
            for flags in [&["--dry-run"][..], &[]] {
                let output = import(&database, &file, flags);
                let text = error(&output);
                assert_eq!(output.status.code(), Some(2), "{name} {length} {flags:?}: {text}");
                assert!(text.contains(expected) && text.contains("nothing was imported"), "{text}");
                assert!(text.len() < 1000, "the error repeats the value");
            }
        }
    }
    // Nothing of the limit is lost from record to record.
    let many = directory.path().join("many.json");
    let records: Vec<String> = (0..40)
        .map(|id| format!("{{\"id\":\"{id}\",\"name\":\"{}\"}}", "n".repeat(1 << 18)))
        .collect();
    std::fs::write(&many, format!("[{}]", records.join(","))).unwrap();
    let output = import(&database, &many, &[]);
    assert!(output.status.success(), "{}", error(&output));
    std::fs::write(&many, format!("{{\"status\":\"success\",\"result\":[{}]}}", records.join(",")))
        .unwrap();
    assert!(
        run(&database, &["import", "--account", "acme", many.to_str().unwrap()]).contains("40")
    );
}
