//! Transcripts of tables on terminals of several widths, and of the checks. `tests/recorded` has those of other formats.

use crate::run::{Person, stdout};

fn transcript(person: &Person, commands: &[&[&str]]) -> String {
    let shown: Vec<String> = commands.iter().map(|args| person.see(args)).collect();
    shown.join("\n")
}

#[test]
fn terminals() {
    let list: &[&str] = &["--demo", "candidates", "list", "--vacancy-id", "101"];
    let mut seen: Vec<String> =
        [40, 80, 100, 120, 200].map(|columns| Person::new().on_terminal(columns).see(list)).into();
    let person = Person::new().on_terminal(80);
    seen.push(person.see(&[list, &["--wide"]].concat()));
    seen.push(person.see(&[list, &["--columns", "ID,Name,PORTAL.NAME,type"]].concat()));
    seen.push(person.see(&[list, &["--status", "Shortlist"]].concat()));
    seen.push(person.see(&[list, &["--filter", "name=Nobody"]].concat()));
    seen.push(person.see(&["--demo", "vacancies", "list"]));
    seen.push(person.see(&["--demo", "credits", "get"]));
    seen.push(person.see(&[list, &["--wide", "-o", "json"]].concat()));
    insta::assert_snapshot!(seen.join("\n"));
}

#[test]
fn checks() {
    let person = Person::new();
    let shown = transcript(
        &person,
        &[
            &["--demo", "check", "-o", "table", "--filter", "check~."],
            &["--demo", "check", "--strict", "-o", "csv"],
        ],
    );
    insta::assert_snapshot!(without_records(&shown));
    let junit = person.run(&["--demo", "check", "--report", "junit"]);
    assert!(stdout(&junit).ends_with("</testsuite>\n"));
}

/// Removes the checks of records, which follow from the fields in the spec, and replaces all numbers of checks.
#[track_caller]
fn without_records(shown: &str) -> String {
    let of_records = ["candidates.", "vacancies.", "credits."];
    let number = |word: &str| {
        let digits = word.trim_start_matches("1..");
        let counts = digits != "0" && digits.parse::<u32>().is_ok();
        if counts { word.replace(digits, "N") } else { word.to_owned() }
    };
    let mut removed = 0;
    let mut rest = String::new();
    for line in shown.lines() {
        let name = line.split_once(" - ").map_or(line, |(_, name)| name);
        if of_records.iter().any(|group| name.starts_with(group)) {
            removed += 1;
            continue;
        }
        let is_counted = ["ok ", "not ok ", "1..", "stderr: note: "];
        if is_counted.iter().any(|start| line.starts_with(start)) {
            let (count, text) = line.split_once(" - ").map_or((line, None), |(a, b)| (a, Some(b)));
            let count = count.split(' ').map(number).collect::<Vec<_>>().join(" ");
            rest.push_str(&count);
            rest.extend(text.map(|text| format!(" - {text}")));
        } else {
            rest.push_str(line);
        }
        rest.push('\n');
    }
    assert!(removed > 40 && removed % 2 == 0, "{removed} checks of records in two formats");
    rest
}
