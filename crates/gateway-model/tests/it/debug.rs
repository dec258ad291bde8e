//! `Debug` and errors show nobody's data.

use gateway_model::{
    Candidate, CandidateRef, GetCredits, ListCandidates, ListVacancies, Operation as _, RawQuery,
    Vacancy,
};

#[test]
fn no_model_prints_a_person() {
    let candidate: Candidate = serde_json::from_str(PERSON).unwrap();
    quiet(&candidate);
    quiet(&candidate.extra());
    quiet(&serde_json::from_str::<CandidateRef<'_>>(PERSON).unwrap());
    let vacancy: Vacancy =
        serde_json::from_str(r#"{"id":"1","project":"Welder","contact":"CANARY"}"#).unwrap();
    quiet(&vacancy);
    let body = format!(r#"{{"status":"success","result":[{PERSON},{{"name":"CANARY"}}]}}"#);
    let listing = <ListCandidates>::decode(body.as_bytes()).unwrap();
    assert_eq!((listing.items.len(), listing.rejected.len()), (1, 1));
    quiet(&listing);
    quiet(&RawQuery::decode(PERSON.as_bytes()).unwrap());
    quiet(&RawQuery::new("m").pair("name", "CANARY"));
}

#[test]
fn no_error_holds_a_value() {
    for record in [
        r#"{"id":"CANARY","name":["CANARY"]}"#,
        r#"{"id":"1","name":{"CANARY":1}}"#,
        r#"{"CANARY":"CANARY"}"#,
        r#""CANARY""#,
        r#"{"id":"CANARY","id":"CANARY"}"#,
        r#"{"id":"1","portal":"CANARY"}"#,
        r#"{"id":"1","portal":{"id":"CANARY","name":7}}"#,
        r#"{"id":"1","name":"CANARY\ud800"}"#,
        r#"{"id":"1","CANARY":CANARY}"#,
    ] {
        let body = format!(r#"{{"status":"success","result":[{record}]}}"#);
        match <ListCandidates>::decode(body.as_bytes()) {
            Ok(listing) => {
                let error = listing.rejected[0].error();
                quiet(error);
                assert!(!error.to_string().contains("CANARY"), "{error}");
            }
            Err(error) => {
                quiet(&error);
                assert!(!error.to_string().contains("CANARY"), "{error}");
            }
        }
    }
    let not_success = br#"{"status":"CANARY","result":[]}"#;
    quiet(&<ListCandidates>::decode(not_success).unwrap_err());
    quiet(&ListVacancies::decode(b"CANARY").unwrap_err());
    quiet(&GetCredits::decode(br#"{"credits_number":["CANARY"]}"#).unwrap_err());
    quiet(&ListCandidates::new().vacancy_id("CANARY").query().unwrap_err());
}

#[track_caller]
fn quiet(value: &impl std::fmt::Debug) {
    for text in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!text.contains("CANARY"), "{text}");
    }
}

const PERSON: &str = r#"{"id":"1","name":"CANARY 1","email":"CANARY@example.com","phone":"CANARY 3",
    "phone_mobile":"CANARY 4","note":"CANARY 5","CANARY 6":{"CANARY":7}}"#;
