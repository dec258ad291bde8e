//! The decoders and the schemas of each service accept the same JSON values.
//!
//! The values are drawn from the schemas, and most of them are changed in some places.

use std::fs;

use methodical_model::{ErrorKind, ListOperation, Next, Operation};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::values::Values;

mod dice;
mod specs;
mod values;

/// Checks a model or an operation.
macro_rules! check {
    (model $spec:literal, $name:literal, $owned:ident, $borrowed:ident) => {
        crate::check_model(
            $spec,
            $name,
            |json| serde_json::from_slice::<$owned>(json).map_err(|error| error.to_string()),
            |json| serde_json::from_slice::<$borrowed<'_>>(json).is_ok(),
        )
    };
    (object $spec:literal, $name:literal, $reports:literal, $query:expr) => {
        crate::check_object($spec, $name, $reports, &$query)
    };
    (list $spec:literal, $name:literal, $reports:literal, $query:expr) => {
        crate::check_list($spec, $name, $reports, &$query)
    };
}
pub(crate) use check;

/// Number of values for each model and each operation.
const VALUES: u64 = 400;

/// Compares the two decoders of a model with its schema.
fn check_model<T>(
    spec: &str,
    name: &str,
    owned: fn(&[u8]) -> Result<T, String>,
    borrowed: fn(&[u8]) -> bool,
) {
    let schema = read(&format!("schemas/{spec}/models/{name}.json"));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut counts = Counts::default();
    for number in 0..VALUES {
        let mut values = Values::new(&schema, number);
        let value = values.draw_changed(&schema);
        let is_valid = validator.is_valid(&value);
        counts.count(is_valid);
        for json in texts(&value) {
            let result = owned(&json);
            let json = String::from_utf8_lossy(&json);
            let error = result.as_ref().err();
            assert_eq!(result.is_ok(), is_valid, "{spec} {name}: {error:?} {json}");
            assert_eq!(borrowed(json.as_bytes()), is_valid, "{spec} {name}, borrowed: {json}");
        }
    }
    counts.check(spec, name);
}

/// Compares the decoder of an object in a body with the schema of the body.
fn check_object<O: Operation>(spec: &str, name: &str, reports: bool, query: &O) {
    compare(spec, name, reports, |json, _| {
        let decoded = query.decode(json).map(|_| (1, 0));
        vec![("whole", decoded.map_err(|error| (error.kind(), error.to_string())))]
    });
}

/// Compares the three decoders of a list with the schema of the body.
fn check_list<O: ListOperation>(spec: &str, name: &str, reports: bool, query: &O) {
    compare(spec, name, reports, |json, size| {
        let whole = query.decode(json).map(|list| (list.items.len(), list.rejected.len()));
        let borrowed = query.decode_borrowed(json);
        let borrowed = borrowed.map(|list| (list.items.len(), list.rejected.len()));
        let streamed = streamed(query, json, size);
        let all = [("whole", whole), ("borrowed", borrowed), ("streamed", streamed)];
        let all = all.map(|(decoder, result)| {
            (decoder, result.map_err(|error| (error.kind(), error.to_string())))
        });
        all.to_vec()
    });
}

/// The numbers of records that a decoder kept and rejected, or its error.
type Decoded = Result<(usize, usize), (ErrorKind, String)>;

/// Decodes a body in pieces of a size.
fn streamed<O: ListOperation>(
    query: &O,
    json: &[u8],
    size: usize,
) -> Result<(usize, usize), methodical_model::Error> {
    let mut decoder = query.decoder();
    let mut pieces = json.chunks(size);
    let (mut kept, mut rejected) = (0, 0);
    loop {
        match decoder.next_record()? {
            Next::Item(_) => kept += 1,
            Next::Rejected(_) => rejected += 1,
            Next::NeedMore => match pieces.next() {
                Some(piece) => decoder.push(piece),
                None => decoder.finish(),
            },
            _ => return Ok((kept, rejected)),
        }
    }
}

/// Compares decoders with the schema of a body. `reports` says whether a body can report a failure.
fn compare(
    spec: &str,
    name: &str,
    reports: bool,
    decode: impl Fn(&[u8], usize) -> Vec<(&'static str, Decoded)>,
) {
    let document = read(&format!("schemas/{spec}/operations/{name}.json"));
    let call = document["paths"].as_object().unwrap().values().next().unwrap();
    let call = call.as_object().unwrap().values().next().unwrap();
    let body = &call["responses"]["200"]["content"]["application/json"]["schema"];
    let (success, failure) =
        if reports { (&body["anyOf"][0], &body["anyOf"][1]) } else { (body, &json!(false)) };
    let validator = |schema: &Value| -> Validator {
        let schema = json!({ "allOf": [schema], "components": document["components"] });
        jsonschema::validator_for(&schema).unwrap()
    };
    let (succeeds, fails) = (validator(success), validator(failure));
    let mut counts = Counts::default();
    for number in 0..VALUES {
        let mut values = Values::new(&document, number);
        let value = values.draw_changed(if number % 5 == 0 && reports { failure } else { success });
        let is_valid = succeeds.is_valid(&value);
        let is_failure = fails.is_valid(&value);
        counts.count(is_valid);
        for json in texts(&value) {
            let size = 1 + values.dice.below(40);
            for (decoder, decoded) in decode(&json, size) {
                let json = String::from_utf8_lossy(&json);
                let about = format!("{spec} {name}, {decoder}: {decoded:?} {json}");
                match &decoded {
                    // A failure that means an empty list.
                    Ok((0, 0)) if is_failure && !is_valid => {}
                    Ok((_, rejected)) => assert_eq!(*rejected == 0, is_valid, "{about}"),
                    Err((kind, _)) => {
                        assert!(!is_valid, "{about}");
                        // A failure that means an empty list may lack a required field beside it.
                        let reported = [ErrorKind::NotSuccess, ErrorKind::Missing].contains(kind);
                        assert!(!is_failure || reported, "{about}");
                    }
                }
            }
        }
    }
    counts.check(spec, name);
}

/// Returns a value as JSON in several ways: compact, with whitespace, and with escaped keys.
fn texts(value: &Value) -> [Vec<u8>; 3] {
    let mut escaped = String::new();
    escape(value, &mut escaped);
    [
        value.to_string().into_bytes(),
        serde_json::to_vec_pretty(value).unwrap(),
        escaped.into_bytes(),
    ]
}

/// Writes JSON with the first character of each key escaped.
fn escape(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                escape(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                let quoted = Value::from(key.as_str()).to_string();
                match key.chars().next() {
                    Some(first) if first.is_ascii_alphanumeric() => {
                        text.push_str(&format!("\"\\u{:04x}{}", u32::from(first), &quoted[2..]));
                    }
                    _ => text.push_str(&quoted),
                }
                text.push(':');
                escape(value, text);
            }
            text.push('}');
        }
        leaf => text.push_str(&leaf.to_string()),
    }
}

/// The numbers of values that a schema accepted and refused.
#[derive(Default)]
struct Counts {
    accepted: u64,
    refused: u64,
}

impl Counts {
    fn count(&mut self, is_valid: bool) {
        *(if is_valid { &mut self.accepted } else { &mut self.refused }) += 1;
    }

    /// Checks that both kinds were tried.
    fn check(&self, spec: &str, name: &str) {
        let Self { accepted, refused } = self;
        let least = VALUES / 25;
        assert!(*accepted > least, "{spec} {name}: {accepted} accepted, {refused} refused");
        assert!(*refused > 0, "{spec} {name}: {accepted} accepted, {refused} refused");
    }
}

fn read(path: &str) -> Value {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}
