//! The source of Airbyte, over a real server whose records change.

use serde_json::{Value, json};

use crate::office::{Office, application, candidate, credits, parsed, vacancy};
use crate::run::{code, stdout};

fn office() -> Office {
    let office = Office::new(&[
        candidate(1, "Anna"),
        candidate(2, "Jörg"),
        vacancy(101),
        application(101, 1, "New"),
        credits(),
    ]);
    office.file("config.json", &json!({"mirror": "source.db", "token": office.token}));
    office
}

/// Writes a configured catalog of all streams.
fn configure(office: &Office, mode: &str, generation: u32, minimum: u32) {
    let discovered = office.messages(&["airbyte", "discover", "--config", "config.json"]);
    let streams = discovered[0]["catalog"]["streams"].as_array().unwrap();
    let streams: Vec<Value> = streams
        .iter()
        .map(|stream| {
            json!({
                "stream": stream, "sync_mode": mode, "destination_sync_mode": "append_dedup",
                "generation_id": generation, "minimum_generation_id": minimum, "sync_id": 1,
            })
        })
        .collect();
    office.file("catalog.json", &json!({ "streams": streams }));
}

const READ: &[&str] = &["airbyte", "read", "--config", "config.json", "--catalog", "catalog.json"];

/// Returns the data of the records of a stream.
fn records<'a>(messages: &'a [Value], stream: &str) -> Vec<&'a Value> {
    let records = messages.iter().filter(|one| one["type"] == "RECORD");
    let records = records.map(|one| &one["record"]).filter(|one| one["stream"] == stream);
    records.map(|one| &one["data"]).collect()
}

/// Keeps the last state of each stream for the next run.
fn keep(office: &Office, messages: &[Value]) {
    let mut states = serde_json::Map::new();
    for message in messages.iter().filter(|one| one["type"] == "STATE") {
        let name = message["state"]["stream"]["stream_descriptor"]["name"].as_str().unwrap();
        states.insert(name.to_owned(), message["state"].clone());
    }
    let states: Vec<Value> = states.into_iter().map(|(_, state)| state).collect();
    office.file("state.json", &json!(states));
}

#[test]
fn later_runs_have_only_the_changes_and_mark_what_is_deleted() {
    let office = office();
    configure(&office, "incremental", 1, 0);
    let first = office.messages(READ);
    assert_eq!(records(&first, "candidate").len(), 2);
    let statuses: Vec<&Value> = first
        .iter()
        .filter(|one| one["trace"]["stream_status"]["stream_descriptor"]["name"] == "candidate")
        .map(|one| &one["trace"]["stream_status"]["status"])
        .collect();
    assert_eq!(statuses, ["STARTED", "RUNNING", "COMPLETE"]);
    keep(&office, &first);

    office.set(&[candidate(1, "Anna"), vacancy(101), application(101, 1, "Rejected"), credits()]);
    let second = office.messages(&[READ, &["--state", "state.json"]].concat());
    let deleted = records(&second, "candidate");
    assert_eq!((deleted.len(), &deleted[0]["id"]), (1, &json!("2")));
    assert!(deleted[0]["_ab_cdc_deleted_at"].is_string() && deleted[0]["name"].is_null());
    // Destinations keep the state with the largest number.
    let of_first = records(&first, "candidate")[1]["_ab_cdc_cursor"].as_i64();
    assert!(deleted[0]["_ab_cdc_cursor"].as_i64() > of_first);
    let counts: f64 =
        second.iter().filter_map(|one| one["state"]["sourceStats"]["recordCount"].as_f64()).sum();
    let records = second.iter().filter(|one| one["type"] == "RECORD").count();
    assert_eq!(counts.to_string(), records.to_string());
    assert!(records >= 2);
}

#[test]
fn a_refresh_starts_over() {
    let office = office();
    configure(&office, "incremental", 1, 0);
    keep(&office, &office.messages(READ));
    let later = &[READ, &["--state", "state.json"]].concat();
    assert!(records(&office.messages(later), "candidate").is_empty());
    configure(&office, "incremental", 2, 2);
    let refreshed = office.messages(later);
    assert_eq!(records(&refreshed, "candidate").len(), 2);
    keep(&office, &refreshed);
    assert!(records(&office.messages(later), "candidate").is_empty());
    configure(&office, "full_refresh", 2, 0);
    assert_eq!(records(&office.messages(later), "candidate").len(), 2);
}

#[test]
fn a_configuration_is_checked_against_the_service() {
    let office = office();
    let status = |config: &Value| {
        office.file("config.json", config);
        let output = office.person.run(&["airbyte", "check", "--config", "config.json"]);
        assert_eq!(code(&output), 0);
        assert!(!stdout(&output).contains(&office.token));
        parsed(&output)[0]["connectionStatus"].clone()
    };
    let good = json!({"mirror": "source.db", "token": office.token});
    assert_eq!(status(&good), json!({"status": "SUCCEEDED"}));
    for (config, said) in [
        (json!({"mirror": "source.db", "token": "gwt_wrong"}), "token"),
        (json!({"mirror": "source.db"}), "no access token"),
        (json!({"colour": 1}), "unknown key `colour`"),
    ] {
        let failed = status(&config);
        assert_eq!(failed["status"], "FAILED");
        assert!(failed["message"].as_str().unwrap().contains(said), "{failed}");
    }
}

#[test]
fn a_failure_says_who_can_repair_it() {
    let office = office();
    configure(&office, "incremental", 1, 0);
    office.file("config.json", &json!({"mirror": "source.db", "token": "gwt_wrong"}));
    let output = office.person.run(READ);
    assert_eq!(code(&output), 3);
    let messages = parsed(&output);
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["trace"]["error"]["failure_type"], "config_error");
    let spec = office.messages(&["airbyte", "spec"]);
    let properties = &spec[0]["spec"]["connectionSpecification"]["properties"];
    assert_eq!(properties["token"]["airbyte_secret"], true);
}
