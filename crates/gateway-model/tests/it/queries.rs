//! A server decodes the parameters that were encoded, and a query contains only allowed characters.

use gateway_model::{
    CandidateId, Error, ErrorKind, ListCandidates, ListCandidatesParams, ListOperation as _,
    ListVacancies, Operation as _, Query, RawQuery, VacancyId,
};
use proptest::prelude::*;

use crate::support::{percent_decoded, travels};

proptest! {
    #[test]
    fn raw_pairs_survive_encoding(method in ".{0,20}", pairs in prop::collection::vec((".{0,12}", ".{0,30}"), 0..5)) {
        let mut query = RawQuery::new(method.clone());
        for (name, value) in &pairs {
            query = query.pair(name, value);
        }
        let text = query.query()?.into_string();
        prop_assert!(text.bytes().all(travels), "{text}");
        let mut decoded = text.split('&').map(|pair| {
            let (name, value) = pair.split_once('=').expect("every pair contains `=`");
            (percent_decoded(name), percent_decoded(value))
        });
        prop_assert_eq!(decoded.next(), Some(("method".to_owned(), method)));
        prop_assert_eq!(decoded.collect::<Vec<_>>(), pairs);
    }

    #[test]
    #[cfg_attr(miri, ignore = "compiling the patterns of random strings takes minutes")]
    fn a_status_survives_encoding(vacancy in any::<u64>(), status in "[^\\p{C}]{1,60}") {
        let text = ListCandidates::new().vacancy_id(vacancy).status(status.as_str()).query()?.into_string();
        prop_assert!(text.bytes().all(travels), "{text}");
        let expected = format!("method=candidates/list&vacancy_id={vacancy}&status=");
        let encoded = text.strip_prefix(&expected).expect("the constants come first");
        prop_assert_eq!(percent_decoded(encoded), status);
    }
}

#[test]
fn parameters_known_at_run_time_are_checked() {
    let with = |vacancy: Option<u64>, status: Option<&str>| {
        let mut params = ListCandidatesParams::default();
        params.vacancy_id = vacancy.map(Into::into);
        params.status = status.map(Into::into);
        ListCandidates::new().with(params)
    };
    let new = ListCandidates::new;
    assert_eq!(with(None, None), Ok(new()));
    let text = |query: Result<Query, Error>| query.unwrap().into_string();
    assert_eq!(text(with(Some(7), None).unwrap().query()), text(new().vacancy_id(7).query()));
    let both = with(Some(7), Some("New")).unwrap();
    assert_eq!(text(both.query()), text(new().vacancy_id(7).status("New").query()));
    // The last call wins, and the status may rely on it.
    let later = both.clone().vacancy_id(8).status("Shortlist").query();
    assert_eq!(text(later), "method=candidates/list&vacancy_id=8&status=Shortlist");
    assert_eq!(both.with(ListCandidatesParams::default()), Ok(new()));

    let error = with(None, Some("CANARY")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NeedsParameter);
    assert_eq!((error.path(), error.expected()), ("status", "vacancy_id"));
    assert_eq!(error.to_string(), "parameter status needs vacancy_id");
}

#[test]
fn a_query_decodes_its_response_in_every_state() {
    let body = br#"{"status":"success","result":[{"id":"1","name":"Ada"}]}"#;
    let listing = ListCandidates::decode(body).unwrap();
    assert_eq!(listing.items[0].id, CandidateId::new("1"));
    let query = ListCandidates::new().vacancy_id(7);
    assert_eq!(query.decode(body).unwrap(), listing);
    assert_eq!(query.decode_borrowed(body).unwrap().items[0].id, "1");
    assert_eq!(query.status("New").decode(body).unwrap(), listing);

    let vacancies = br#"[{"id":"7"}]"#;
    assert_eq!(ListVacancies::decode(vacancies).unwrap().items[0].id, VacancyId::new("7"));
    let borrowed = ListVacancies::new().decode_borrowed(vacancies).unwrap();
    assert_eq!(borrowed.items[0].id, "7");
}

#[test]
fn invalid_values_are_refused() {
    for text in ["", "x", "-1", "+1", " 1", "1.0", "18446744073709551616", "٣"] {
        assert!(ListCandidates::new().vacancy_id(text).query().is_err(), "{text}");
    }
    assert!(ListCandidates::new().vacancy_id(u64::MAX).query().is_ok());
    assert!(ListCandidates::new().vacancy_id(1).status("").query().is_err());
}
