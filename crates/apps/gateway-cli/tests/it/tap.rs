//! The Singer tap, over a real server whose records change.

use serde_json::{Value, json};

use crate::office::{Office, application, candidate, credits, vacancy};
use crate::run::{code, stderr, stdout};

/// Returns the records of a stream in messages.
fn records<'a>(messages: &'a [Value], stream: &str) -> Vec<&'a Value> {
    let of = messages.iter().filter(|one| one["type"] == "RECORD" && one["stream"] == stream);
    of.map(|one| &one["record"]).collect()
}

/// Returns the identities of the records of a stream.
fn ids<'a>(messages: &'a [Value], stream: &str) -> Vec<&'a str> {
    records(messages, stream).iter().map(|record| record["id"].as_str().unwrap()).collect()
}

/// Returns the last state in messages.
fn state(messages: &[Value]) -> Value {
    messages.iter().rfind(|one| one["type"] == "STATE").unwrap()["value"].clone()
}

/// Returns an office with two candidates in a vacancy, a configuration, and the token in the environment.
fn office() -> Office {
    let mut office = Office::new(&[
        candidate(1, "Anna"),
        candidate(2, "Jörg"),
        vacancy(101),
        application(101, 1, "New"),
        application(101, 2, "Shortlist"),
        credits(),
    ]);
    office.file("tap.json", &json!({"mirror": "tap.db"}));
    office.person = office.person.with("GATEWAY_TOKEN", &office.token);
    office
}

const FIRST: &[&str] = &["tap", "--config", "tap.json"];
const LATER: &[&str] = &["tap", "--config", "tap.json", "--state", "state.json"];

#[test]
fn later_runs_have_only_the_changes() {
    let office = office();
    let first = office.messages(FIRST);
    assert_eq!(ids(&first, "candidate"), ["1", "2"]);
    assert_eq!(ids(&first, "vacancy"), ["101"]);
    let statuses = records(&first, "candidate_vacancy");
    assert_eq!(
        statuses.iter().map(|one| (&one["id"], &one["status"])).collect::<Vec<_>>(),
        [(&json!("101/1"), &json!("New")), (&json!("101/2"), &json!("Shortlist"))]
    );
    // A schema precedes the records of its stream, and the last message is a state.
    let kinds: Vec<&Value> = first.iter().map(|one| &one["type"]).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), (&json!("SCHEMA"), &json!("STATE")));

    office.file("state.json", &state(&first));
    office.set(&[
        candidate(1, "Anna"),
        candidate(2, "Jörg Ω"),
        candidate(3, "Zoë"),
        vacancy(101),
        application(101, 1, "New"),
        application(101, 2, "Rejected"),
        credits(),
    ]);
    let second = office.messages(LATER);
    assert_eq!(ids(&second, "candidate"), ["2", "3"]);
    assert_eq!(records(&second, "candidate")[0]["name"], "Jörg Ω");
    assert!(records(&second, "vacancy").is_empty());

    office.file("state.json", &state(&second));
    let third = office.messages(LATER);
    assert!(ids(&third, "candidate").is_empty() && ids(&third, "vacancy").is_empty());
}

#[test]
fn the_personal_data_of_a_deleted_person_is_emptied() {
    let office = office();
    office.file("state.json", &state(&office.messages(FIRST)));
    office.set(&[candidate(1, "Anna"), vacancy(101), application(101, 1, "New"), credits()]);
    // Missing, and then gone.
    for _ in 0..2 {
        let messages = office.messages(LATER);
        let deleted = records(&messages, "candidate");
        assert_eq!(deleted.len(), 1, "{deleted:?}");
        assert!(deleted[0]["_sdc_deleted_at"].is_string());
        let left = deleted[0].as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
        let left: Vec<&str> = left.map(|(name, _)| name.as_str()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
        assert_eq!(deleted[0]["id"], "2");
        assert!(ids(&messages, "candidate_vacancy").contains(&"101/2"));
        office.file("state.json", &state(&messages));
    }
    assert!(ids(&office.messages(LATER), "candidate").is_empty());

    // A person who is erased on request is also deleted there.
    let forget = ["mirror", "forget", "1", "--from", "tap.db", "--yes"];
    assert_eq!(code(&office.person.run(&forget)), 0);
    let messages = office.messages(LATER);
    assert_eq!(ids(&messages, "candidate"), ["1"]);
    assert_eq!(records(&messages, "candidate")[0]["name"], Value::Null);
}

#[test]
fn a_catalog_selects_streams_and_fields() {
    let office = office();
    let discovered = office.person.run(&["tap", "--discover"]);
    let mut catalog: Value = serde_json::from_str(stdout(&discovered)).unwrap();
    // Meltano runs discovery like this before a later run.
    let again = office.person.run(&[FIRST, &["--state", "absent.json", "--discover"]].concat());
    assert_eq!((code(&again), stdout(&again)), (0, stdout(&discovered)));
    let names: Vec<&Value> =
        catalog["streams"].as_array().unwrap().iter().map(|one| &one["stream"]).collect();
    assert_eq!(names, ["candidate", "vacancy", "candidate_vacancy"]);

    for stream in catalog["streams"].as_array_mut().unwrap() {
        let is_wanted = stream["stream"] == "candidate";
        for metadata in stream["metadata"].as_array_mut().unwrap() {
            let field = metadata["breadcrumb"][1].as_str().unwrap_or_default().to_owned();
            let is_personal = matches!(&*field, "name" | "email" | "phone" | "phone_mobile");
            metadata["metadata"]["selected"] = json!(is_wanted && !is_personal);
        }
    }
    office.file("catalog.json", &catalog);
    let messages = office.messages(&[FIRST, &["--catalog", "catalog.json"]].concat());
    let streams = messages.iter().filter(|one| one["type"] != "STATE");
    assert!(streams.clone().all(|one| one["stream"] == "candidate"), "{messages:?}");
    let schema = &messages[0]["schema"]["properties"];
    assert!(schema.get("name").is_none() && schema.get("date").is_some(), "{schema}");
    let text = serde_json::to_string(&messages).unwrap();
    assert!(!text.contains("Anna") && !text.contains("@example.com"), "{text}");
    assert!(text.contains("Indeed"));
    // A field that is selected later is copied for all records.
    office.file(
        "state.json",
        &state(&office.messages(&[FIRST, &["--catalog", "catalog.json"]].concat())),
    );
    assert_eq!(ids(&office.messages(LATER), "candidate"), ["1", "2"]);
}

#[test]
fn an_invalid_configuration_is_refused_and_no_secret_is_shown() {
    let office = office();
    for (config, said) in [
        (json!({"token": office.token}), "unknown field `token`"),
        (json!({"base_url": office.token}), "expected one of `profile`, `mirror`, `values`"),
        (json!({"values": office.token}), "expected a sequence"),
        (json!({"values": [format!("expected {}", office.token), 1]}), "expected a string"),
        (json!(office.token), "expected struct Config"),
        (json!([[office.token]]), "expected a string"),
    ] {
        office.file("tap.json", &config);
        let output = office.person.run(FIRST);
        assert_eq!((code(&output), stdout(&output)), (2, ""));
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
        assert!(!stderr(&output).contains(&office.token), "{}", stderr(&output));
    }
}
