//! A server in this process whose records change between the runs of the program.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use gateway_server::{
    AccountId, Config, Import, ImportMode, Removals, RunningServer, Server, Store, UnixTime,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::run::{Person, code, stderr, stdout};

/// A server with one account, and a person who reads it.
pub(crate) struct Office {
    store: Arc<Store>,
    account: AccountId,
    pub(crate) person: Person,
    pub(crate) token: String,
    running: RunningServer,
    _runtime: Runtime,
}

impl Office {
    /// Starts a server with these records.
    pub(crate) fn new(records: &[Value]) -> Self {
        let person = Person::new();
        let store = Arc::new(Store::open(person.home.path().join("server.db")).unwrap());
        let now = UnixTime(1_800_000_000);
        let account = store.create_account("acme", now).unwrap();
        let token = store.create_token(account, "", now, None).unwrap().reveal().to_owned();
        let runtime = Runtime::new().unwrap();
        let mut config = Config::default();
        config.listen = "127.0.0.1:0".parse().unwrap();
        config.access_log = false;
        let running = runtime.block_on(Server::new(config, store.clone()).start()).unwrap();
        let person = person.with("GATEWAY_BASE_URL", &running.base_url());
        let office = Self { store, account, person, token, running, _runtime: runtime };
        office.set(records);
        office
    }

    /// Replaces all records of the account.
    pub(crate) fn set(&self, records: &[Value]) {
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        self.import("records.ndjson", &lines.join("\n"));
    }

    /// Replaces all records of the account with the contents of a file with this name.
    pub(crate) fn import(&self, name: &str, text: &str) {
        let file = self.folder().join(name);
        fs::write(&file, text).unwrap();
        let import =
            Import { files: vec![file], replace: Some(Removals::Few), ..Import::default() };
        import.run(&self.store, self.account, ImportMode::Commit).unwrap();
    }

    /// Writes a file for the program, and returns its name.
    pub(crate) fn file<'a>(&self, name: &'a str, contents: &Value) -> &'a str {
        fs::write(self.folder().join(name), contents.to_string()).unwrap();
        name
    }

    /// Returns the base URL of the server.
    pub(crate) fn base_url(&self) -> String {
        self.running.base_url()
    }

    /// Returns the folder in which the program runs.
    pub(crate) fn folder(&self) -> &Path {
        self.person.home.path()
    }

    /// Runs the program, which must succeed. Returns its messages.
    #[track_caller]
    pub(crate) fn messages(&self, args: &[&str]) -> Vec<Value> {
        let output = self.person.run(args);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        parsed(&output)
    }
}

/// Returns the lines of standard output.
#[track_caller]
fn parsed(output: &Output) -> Vec<Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a candidate.
pub(crate) fn candidate(id: u32, name: &str) -> Value {
    json!({
        "id": id.to_string(), "name": name, "email": format!("{id}@example.com"),
        "phone": format!("+4840021{id:04}"), "phone_mobile": "", "date": "2026-02-03 04:05:06",
        "portal": {"id": "7", "name": "Indeed"}, "type": "person",
    })
}

/// Returns a vacancy.
pub(crate) fn vacancy(id: u32) -> Value {
    json!({"id": id.to_string(), "project": "Welder"})
}

/// Returns the status of a candidate in a vacancy.
pub(crate) fn application(vacancy: u32, candidate: u32, status: &str) -> Value {
    json!({
        "vacancy_id": vacancy.to_string(), "candidate_id": candidate.to_string(), "status": status,
    })
}

/// Returns the credits of the account.
pub(crate) fn credits() -> Value {
    json!({"credits_number": "12.50", "currency": "EUR"})
}
