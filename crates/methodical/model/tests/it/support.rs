//! Decodes a record in every way.

use methodical_model::{DecodeError, DecodeErrorKind, Listing, Record, codegen};
use serde::Serialize;

/// Decodes a record on the fast path, and with serde by escaping a name. Both must agree.
#[track_caller]
pub(crate) fn decoded<T: Record + Serialize + PartialEq>(json: &str) -> Result<T, DecodeError> {
    let slow = json.replacen('{', r#"{"\u0078":0,"#, 1);
    let [fast, slow] = [json, &slow].map(|record| {
        let body = format!("[{record}]");
        let listing = codegen::list::<T, ()>(&codegen::Body::ROOT, body.as_bytes());
        listing.and_then(Listing::strict).map(|mut records| records.remove(0))
    });
    match (fast, slow) {
        (Ok(fast), Ok(slow)) => {
            let text = serde_json::to_string(&slow).unwrap();
            let text =
                text.replace(r#","x":0"#, "").replace(r#""x":0,"#, "").replace(r#""x":0"#, "");
            assert_eq!(text, serde_json::to_string(&fast).unwrap(), "{json}");
            assert!(T::from_ref(serde_json::from_str(json).unwrap()) == fast, "{json}");
            Ok(fast)
        }
        (Err(fast), Err(slow)) => {
            let what = |error: &DecodeError| {
                (error.kind(), error.path().to_owned(), error.expected().to_owned())
            };
            assert_eq!(what(&fast), what(&slow), "{json}");
            Err(fast)
        }
        _ => panic!("the fast path and serde differ: {json}"),
    }
}

/// Requires that a record with these fields is rejected with an error of this kind, at this path, with this
/// expectation.
#[track_caller]
pub(crate) fn rejected<T>(members: &str, kind: DecodeErrorKind, path: &str, expected: &str)
where
    T: Record + Serialize + PartialEq,
{
    let error = decoded::<T>(&format!("{{{members}}}")).err().unwrap();
    let found = (error.kind(), error.path(), error.expected());
    assert_eq!(found, (kind, format!("[0].{path}").as_str(), expected), "{members}");
}
