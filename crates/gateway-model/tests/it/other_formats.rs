//! Formats other than JSON: records without unlisted fields survive a round trip; all others are
//! errors, never panics.

use gateway_model::{Candidate, Credits, Vacancy};
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error, MapDeserializer};
use serde::{Deserialize as _, Serialize as _};

#[test]
fn toml() {
    let mut vacancy = Vacancy::new("52");
    vacancy.project = Some("Welder".to_owned());
    let text = toml::to_string(&vacancy).unwrap();
    assert_eq!(text, "id = \"52\"\nproject = \"Welder\"\n");
    assert_eq!(toml::from_str::<Vacancy>(&text).unwrap(), vacancy);
    assert!(toml::from_str::<Vacancy>("id = 52").is_err());
    // TOML has neither null nor raw JSON text.
    let rich: Candidate = serde_json::from_str(r#"{"id":"1","name":null,"x":[1]}"#).unwrap();
    drop(toml::to_string(&rich));
    drop(toml::from_str::<Candidate>("id = \"1\"\nx = [1]"));
}

#[test]
fn plain_maps() {
    let members = [("credits_number", "1.50"), ("currency", "EUR")];
    let map = MapDeserializer::<_, Error>::new(members.into_iter());
    assert_eq!(Credits::deserialize(map).unwrap(), Credits::new("1.50", "EUR"));
    let unlisted = MapDeserializer::<_, Error>::new([("x", "y")].into_iter());
    assert!(Credits::deserialize(unlisted).is_err());
    let text: serde::de::value::StrDeserializer<'_, Error> = "text".into_deserializer();
    assert!(Credits::deserialize(text).is_err());
}

#[test]
fn values() {
    let record = serde_json::json!({ "id": "1", "x": { "y": [1, 2.5, null] } });
    let candidate = Candidate::deserialize(&record).unwrap();
    assert_eq!(candidate.serialize(serde_json::value::Serializer).unwrap(), record);
}
