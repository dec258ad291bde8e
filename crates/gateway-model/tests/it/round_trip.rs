//! A decoded and serialized record is the same, including unlisted fields and nulls.

use std::fmt::Debug;

use arbitrary::Unstructured;
use gateway_model::{
    Candidate, Credits, GetCredits, ListCandidates, ListVacancies, Operation as _, Record, Vacancy,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::support::every_way;

proptest! {
    #[test]
    fn candidate(record in drawn::<Candidate>()) {
        comes_back(&record)?;
    }

    #[test]
    fn vacancy(record in drawn::<Vacancy>()) {
        comes_back(&record)?;
    }

    #[test]
    fn credits(record in drawn::<Credits>()) {
        comes_back(&record)?;
        let body = serde_json::to_string_pretty(&record)?;
        prop_assert_eq!(GetCredits::decode(body.as_bytes())?, record);
    }

    #[test]
    fn lists(candidates in vec(drawn::<Candidate>(), 0..5), vacancies in vec(drawn::<Vacancy>(), 0..5)) {
        let body = serde_json::to_string(&vacancies)?;
        prop_assert_eq!(every_way::<ListVacancies>(body.as_bytes())?.strict()?, vacancies);
        let body = serde_json::to_string(&candidates)?;
        let body = format!(r#"{{"status":"success","result":{body}}}"#);
        prop_assert_eq!(every_way::<ListCandidates>(body.as_bytes())?.strict()?, candidates);
    }
}

/// Returns records generated from random bytes.
fn drawn<T: for<'a> arbitrary::Arbitrary<'a> + Debug>() -> impl Strategy<Value = T> {
    let record = |bytes: Vec<u8>| Unstructured::new(&bytes).arbitrary().ok();
    vec(any::<u8>(), 0..600).prop_filter_map("a draw does not fail", record)
}

fn comes_back<T>(record: &T) -> TestCaseResult
where
    T: Record + Serialize + DeserializeOwned + PartialEq + Debug,
    for<'a> T::Ref<'a>: Serialize,
{
    let text = serde_json::to_string(record)?;
    prop_assert_eq!(&serde_json::from_str::<T>(&text)?, record);
    same::<T>(&text)?;
    // The same fields in another order, in the notation of `serde_json`.
    same::<T>(&serde_json::from_str::<Value>(&text)?.to_string())
}

/// Decodes and serializes it in both forms, and compares the values.
fn same<T>(text: &str) -> TestCaseResult
where
    T: Record + Serialize + DeserializeOwned,
    for<'a> T::Ref<'a>: Serialize,
{
    let value: Value = serde_json::from_str(text)?;
    let borrowed = T::Ref::deserialize(&mut serde_json::Deserializer::from_str(text))?;
    prop_assert_eq!(&written(&borrowed)?, &value);
    prop_assert_eq!(written(&T::from_ref(borrowed))?, value);
    prop_assert_eq!(written(&serde_json::from_reader::<_, T>(text.as_bytes())?)?, read(text)?);
    Ok(())
}

fn written(record: &impl Serialize) -> Result<Value, serde_json::Error> {
    read(&serde_json::to_string(record)?)
}

/// `serde_json` may round a number when it parses it, so both sides are parsed from text.
fn read(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}
