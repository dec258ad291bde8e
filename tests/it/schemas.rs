//! The JSON Schemas and the decoders accept the same JSON values.

use gateway_model::{Candidate, Credits, Portal, Vacancy};

use self::agree::agree;

mod agree;

#[test]
fn schemas_and_decoders_agree() {
    agree::<Candidate>("docs/generated/json-schema/candidate");
    agree::<Portal>("docs/generated/json-schema/portal");
    agree::<Vacancy>("docs/generated/json-schema/vacancy");
    agree::<Credits>("docs/generated/json-schema/credits");
}
