//! A server decodes the parameters that were encoded, and a query contains only allowed characters.

use gateway_model::{ListCandidates, Operation as _, RawQuery};
use proptest::prelude::*;

use crate::support::{percent_decoded, travels};

proptest! {
    #[test]
    fn raw_pairs_survive_encoding(method in ".{0,20}", pairs in prop::collection::vec((".{0,12}", ".{0,30}"), 0..5)) {
        let mut query = RawQuery::new(method.clone());
        for (name, value) in &pairs {
            query = query.pair(name, value);
        }
        let text = query.query()?.to_string();
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
        let text = ListCandidates::new().vacancy_status(vacancy, status.as_str()).query()?.to_string();
        prop_assert!(text.bytes().all(travels), "{text}");
        let expected = format!("method=candidates/list&vacancy_id={vacancy}&status=");
        let encoded = text.strip_prefix(&expected).expect("the constants come first");
        prop_assert_eq!(percent_decoded(encoded), status);
    }
}

#[test]
fn the_last_value_of_a_parameter_is_sent() {
    let text = |query: &ListCandidates| query.query().unwrap().to_string();
    let both = ListCandidates::new().vacancy_id(7).vacancy_status(8, "Shortlist");
    assert_eq!(text(&both), "method=candidates/list&vacancy_id=8&status=Shortlist");
    assert_eq!(ListCandidates::default(), ListCandidates::new());
}

#[test]
fn invalid_values_are_refused() {
    for text in ["", "x", "-1", "+1", " 1", "1.0", "18446744073709551616", "٣"] {
        assert!(ListCandidates::new().vacancy_id(text).query().is_err(), "{text}");
    }
    assert!(ListCandidates::new().vacancy_id(u64::MAX).query().is_ok());
    assert!(ListCandidates::new().vacancy_status(1, "").query().is_err());
}
