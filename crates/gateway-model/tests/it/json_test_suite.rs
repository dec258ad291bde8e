//! Every file of `JSONTestSuite` as a body, and as a value within every kind of response.
//!
//! The files are not in this repository; the test reads them from `../shared/data/JSONTestSuite`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use gateway_model::{GetCredits, ListCandidates, ListVacancies, Operation as _, RawQuery};

use crate::support::{every_way, list, one, verdicts};

#[test]
#[cfg_attr(miri, ignore = "takes more than ten minutes")]
fn every_file_in_every_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let Ok(files) = fs::read_dir(&folder) else {
        eprintln!("SKIPPED: cannot find JSONTestSuite at {}", folder.display());
        return;
    };
    let mut names: Vec<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "json"))
        .collect();
    names.sort();
    let mut table = String::from(
        "file: body as candidates, vacancies, credits, raw | unlisted field of each, element\n",
    );
    let mut violations = String::new();
    for name in &names {
        let value = fs::read(folder.join(name)).unwrap();
        let within = [
            (list(every_way::<ListCandidates>(&wrap(&value, CANDIDATE))), "ok:1"),
            (list(every_way::<ListVacancies>(&wrap(&value, VACANCY))), "ok:1"),
            (one(GetCredits::decode(&wrap(&value, CREDITS))), "ok"),
            (one(RawQuery::decode(&value)), "ok"),
        ];
        for (verdict, good) in &within {
            let wrong = match name.as_bytes().first() {
                Some(b'y') => verdict != good,
                Some(b'n') => verdict == good,
                _ => false,
            };
            if wrong {
                writeln!(violations, "{name}: {verdict}").unwrap();
            }
        }
        let element = list(every_way::<ListVacancies>(&wrap(&value, ELEMENT)));
        let within: Vec<&str> =
            within.iter().take(3).map(|(verdict, _)| verdict.as_str()).collect();
        writeln!(table, "{name}: {} | {} {element}", verdicts(&value), within.join(" ")).unwrap();
    }
    assert_eq!(names.len(), 318, "the suite is complete");
    assert_eq!(violations, "");
    insta::assert_snapshot!(table);
}

fn wrap(value: &[u8], around: (&str, &str)) -> Vec<u8> {
    [around.0.as_bytes(), value, around.1.as_bytes()].concat()
}

const CANDIDATE: (&str, &str) = (r#"{"status":"success","result":[{"id":"1","x":"#, "}]}");
const VACANCY: (&str, &str) = (r#"[{"id":"1","x":"#, "}]");
const CREDITS: (&str, &str) = (r#"{"credits_number":"1","x":"#, r#","currency":"EUR"}"#);
const ELEMENT: (&str, &str) = ("[", "]");
const FOLDER: &str = "../../../shared/data/JSONTestSuite/test_parsing";
