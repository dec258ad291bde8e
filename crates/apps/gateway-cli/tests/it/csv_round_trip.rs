//! CSV of the program, imported by the server: no byte of any field changes.

use std::sync::Arc;

use gateway_server::{Config, Import, ImportMode, Server, Store, UnixTime};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::run::{Person, code, stderr, stdout};

const NOW: UnixTime = UnixTime(1_800_000_000);

/// A server in this process with one account.
struct Account {
    store: Arc<Store>,
    base_url: String,
    token: String,
    _running: gateway_server::RunningServer,
    _runtime: Runtime,
}

impl Account {
    fn new(folder: &TempDir, name: &str) -> Self {
        let store = Arc::new(Store::open(folder.path().join(name)).unwrap());
        let account = store.create_account("acme", NOW).unwrap();
        let token = store.create_token(account, "", NOW, None).unwrap().reveal().to_owned();
        let runtime = Runtime::new().unwrap();
        let mut config = Config::default();
        config.listen = "127.0.0.1:0".parse().unwrap();
        config.access_log = false;
        let running = runtime.block_on(Server::new(config, store.clone()).start()).unwrap();
        let base_url = running.base_url();
        Self { store, base_url, token, _running: running, _runtime: runtime }
    }

    fn import(&self, file: std::path::PathBuf) {
        let account = self.store.account("acme").unwrap();
        let import = Import { files: vec![file], ..Import::default() };
        import.run(&self.store, account, ImportMode::Commit, &mut |_records| {}).unwrap();
    }

    fn list(&self, flags: &[&str]) -> String {
        let person = Person::new()
            .with("GATEWAY_BASE_URL", &self.base_url)
            .with("GATEWAY_TOKEN", &self.token);
        let output = person.run(&[&["candidates", "list"], flags].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output).to_owned()
    }
}

/// Candidates whose texts are pieces that spreadsheets, CSV and terminals treat specially.
fn candidates() -> impl Strategy<Value = Vec<Value>> {
    let piece = prop::sample::select(vec![
        "=", "+", "-", "@", "'", "\"", ",", ";", "|", "\t", "\r\n", "\n", "=1+1", "+40 21", "(0)",
        " ", "x", "é", "\u{202e}", "\u{feff}", "\u{1}", "007", "null", "", "\\", "1e5",
    ]);
    let text = prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat());
    let candidate = (text.clone(), text.clone(), text.clone(), text).prop_map(
        |(name, email, phone, portal)| {
            json!({
                "name": name, "email": email, "phone": phone, "date": "2026-02-03 04:05:06",
                "portal": { "id": "7", "name": portal }, "type": "person",
            })
        },
    );
    prop::collection::vec(candidate, 300)
}

#[test]
fn csv_is_imported_without_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let original = Account::new(&folder, "original.db");
    let mut runner = TestRunner::default();
    let candidates = candidates().new_tree(&mut runner).unwrap().current();
    let lines = (1_u32..).zip(candidates).map(|(id, mut candidate)| {
        candidate["id"] = json!(id.to_string());
        format!("{candidate}\n")
    });
    let file = folder.path().join("candidates.ndjson");
    std::fs::write(&file, lines.collect::<String>()).unwrap();
    original.import(file);
    let expected = original.list(&["-o", "ndjson"]);
    assert_eq!(expected.lines().count(), 300);

    for (name, flags) in [
        ("plain", &[][..]),
        ("semicolons", &["--separator", ";"]),
        ("tabs", &["--separator", "tab"]),
    ] {
        let csv = original.list(&[&["-o", "csv"], flags].concat());
        let file = folder.path().join(format!("{name}.csv"));
        std::fs::write(&file, csv).unwrap();
        let copy = Account::new(&folder, &format!("{name}.db"));
        copy.import(file);
        assert_eq!(copy.list(&["-o", "ndjson"]), expected, "{name}");
    }
}
