//! Any file to import: the error names the file and the line, or the records are the same after they were written in
//! each format and read again.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use gateway_model::formula::{guard, unguard};
use gateway_server::{
    AccountId, CandidateFilter, Cursor, Error, ErrorKind, Import, ImportFormat, ImportMode, Page,
    Snapshot, Store, TokenDigest, UnixTime,
};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

fuzz_target!(|input: &[u8]| {
    let Some((first, file)) = input.split_first() else { return };
    let format = FORMATS[usize::from(*first) % FORMATS.len()];
    let store = Sample::new();
    if let Err(error) = store.import(&[file], format) {
        assert!(matches!(error.kind(), ErrorKind::Import), "{error}");
        // Each error has the file, the line, and text without control characters.
        for text in error.to_string().lines() {
            assert!(text.contains("fuzz-import-"), "{text}");
            assert!(!text.contains(char::is_control), "{text:?}");
        }
        let none = BTreeSet::new();
        assert_eq!(store.records(&none), Sample::new().records(&none), "a part was imported");
        return;
    }
    let texts = texts(file, format);
    let records = store.records(&texts);
    for format in FORMATS {
        let again = Sample::new();
        let files = records.written(format);
        let shown = || String::from_utf8_lossy(&files.concat()).into_owned();
        if let Err(error) = again.import(&files, format) {
            panic!("{error}: {}", shown());
        }
        assert_eq!(again.records(&texts), records, "{}", shown());
    }
});

const FORMATS: [ImportFormat; 3] = [ImportFormat::Csv, ImportFormat::Ndjson, ImportFormat::Json];

/// An account without records.
struct Sample {
    store: Store,
    account: AccountId,
}

#[derive(Debug, PartialEq)]
struct Records {
    vacancies: Vec<Value>,
    candidates: Vec<Value>,
    /// The status of each candidate in each vacancy.
    statuses: BTreeMap<(String, String), String>,
    credits: Option<Value>,
}

impl Sample {
    fn new() -> Self {
        let store = Store::in_memory().expect("a database in memory");
        let account = store.create_account("sample", UnixTime(0)).unwrap();
        store.add_token(account, &TokenDigest::of("t"), "", UnixTime(0), None).unwrap();
        Self { store, account }
    }

    fn import(&self, contents: &[impl AsRef<[u8]>], format: ImportFormat) -> Result<(), Error> {
        let files: Vec<_> = (0..contents.len()).map(path).collect();
        for (path, content) in files.iter().zip(contents) {
            fs::write(path, content).unwrap();
        }
        let import = Import { files, format: Some(format), ..Import::default() };
        import.run(&self.store, self.account, ImportMode::Commit).map(drop)
    }

    fn records(&self, texts: &BTreeSet<String>) -> Records {
        let principal =
            self.store.authenticate(&TokenDigest::of("t"), UnixTime(1)).unwrap().unwrap();
        let snapshot = principal.snapshot;
        let page = || Page { from: Cursor::START, limit: u32::MAX };
        let mut vacancies = Vec::new();
        let mut take = |json: &[u8]| vacancies.push(value(json));
        self.store.vacancies(snapshot, page(), &mut take).unwrap();
        let candidates = self.candidates(snapshot, &CandidateFilter::All);
        let mut statuses = BTreeMap::new();
        for vacancy in &vacancies {
            let vacancy = id(vacancy);
            let number = vacancy.parse().unwrap();
            for status in texts {
                let filter = CandidateFilter::Status(number, status.clone());
                for candidate in self.candidates(snapshot, &filter) {
                    let before = statuses.insert((vacancy.clone(), id(&candidate)), status.clone());
                    assert_eq!(before, None, "a candidate has two statuses in a vacancy");
                }
            }
            let all = self.candidates(snapshot, &CandidateFilter::Vacancy(number));
            let known = statuses.keys().filter(|(of, _)| *of == vacancy).count();
            assert_eq!(all.len(), known, "a status that is not in the file");
        }
        let mut credits = None;
        self.store.credits(self.account, &mut |json| credits = Some(value(json))).unwrap();
        Records { vacancies, candidates, statuses, credits: credits.filter(|one| !one.is_null()) }
    }

    fn candidates(&self, snapshot: Snapshot, filter: &CandidateFilter) -> Vec<Value> {
        let mut found = Vec::new();
        let page = Page { from: Cursor::START, limit: u32::MAX };
        let mut take = |json: &[u8]| found.push(value(json));
        self.store.candidates(snapshot, filter, page, &mut take).unwrap();
        found
    }
}

fn value(json: &[u8]) -> Value {
    serde_json::from_slice(json).expect("a record is JSON")
}

fn id(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}

impl Records {
    /// The records of each kind.
    fn kinds(&self) -> [Vec<Value>; 4] {
        let status = |((vacancy, candidate), status): (&(String, String), &String)| json!({"vacancy_id": vacancy, "candidate_id": candidate, "status": status});
        let statuses = self.statuses.iter().map(status).collect();
        let credits = self.credits.iter().cloned().collect();
        [self.vacancies.clone(), self.candidates.clone(), statuses, credits]
    }

    /// The files of an import. A table has one kind of record.
    fn written(&self, format: ImportFormat) -> Vec<Vec<u8>> {
        let kinds = self.kinds();
        match format {
            ImportFormat::Csv => kinds.iter().map(|records| csv(records)).collect(),
            ImportFormat::Ndjson => {
                let lines = kinds.iter().flatten().map(|record| format!("{record}\n"));
                vec![lines.collect::<String>().into_bytes()]
            }
            _ => vec![serde_json::to_vec(&kinds).unwrap()],
        }
    }
}

fn csv(records: &[Value]) -> Vec<u8> {
    let rows: Vec<BTreeMap<String, String>> = records.iter().map(cells).collect();
    let columns: BTreeSet<&String> = rows.iter().flat_map(BTreeMap::keys).collect();
    if columns.is_empty() {
        return b"id".to_vec();
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&columns).unwrap();
    for row in &rows {
        let cell = |column: &&String| {
            let cell = row.get(*column).cloned().unwrap_or_default();
            guard(&cell).unwrap_or(cell)
        };
        writer.write_record(columns.iter().map(cell)).unwrap();
    }
    writer.into_inner().unwrap()
}

fn cells(record: &Value) -> BTreeMap<String, String> {
    fn flatten(prefix: &str, object: &Map<String, Value>, out: &mut BTreeMap<String, String>) {
        for (name, value) in object {
            match value {
                Value::Object(inner) => flatten(&format!("{prefix}{name}."), inner, out),
                Value::String(text) => drop(out.insert(format!("{prefix}{name}"), text.clone())),
                Value::Null => {}
                other => drop(out.insert(format!("{prefix}{name}"), other.to_string())),
            }
        }
    }
    let mut out = BTreeMap::new();
    flatten("", record.as_object().unwrap(), &mut out);
    out
}

/// Every string in the file, because any of them may be a status.
fn texts(file: &[u8], format: ImportFormat) -> BTreeSet<String> {
    fn walk(value: &Value, out: &mut BTreeSet<String>) {
        match value {
            Value::String(text) => drop(out.insert(text.clone())),
            Value::Array(items) => items.iter().for_each(|item| walk(item, out)),
            Value::Object(fields) => fields.values().for_each(|field| walk(field, out)),
            _ => {}
        }
    }
    let mut out = BTreeSet::new();
    if format == ImportFormat::Csv {
        let first = file.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let separator = first.iter().copied().find(|byte| b",;\t|".contains(byte)).unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new().delimiter(separator).from_reader(file);
        for record in reader.records().map_while(Result::ok) {
            let text = |cell: &str| unguard(cell).unwrap_or_else(|| cell.to_owned());
            out.extend(record.iter().map(text));
        }
    } else {
        let values = serde_json::Deserializer::from_slice(file).into_iter::<Value>();
        values.map_while(Result::ok).for_each(|value| walk(&value, &mut out));
    }
    out
}

/// A file in memory, if the system has a folder for such files.
fn path(number: usize) -> PathBuf {
    let folder = PathBuf::from("/dev/shm");
    let folder = if folder.is_dir() { folder } else { std::env::temp_dir() };
    folder.join(format!("fuzz-import-{}-{number}", std::process::id()))
}
