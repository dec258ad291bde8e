//! Problem details of a response (RFC 9457).

use serde_json::{Map, Value};

/// A problem document (RFC 9457, section 3.1). Every field is optional.
///
/// The texts are untrusted input: escape them before you show them.
///
/// # Examples
///
/// ```
/// use methodical_client::Problem;
///
/// let problem = Problem::read(br#"{"title":"Unknown method","status":400,"extra":1}"#).unwrap();
/// assert_eq!(problem.title.as_deref(), Some("Unknown method"));
/// assert_eq!(problem.status, Some(400));
/// assert_eq!(problem.detail, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// A URI that identifies the kind of problem (`type`).
    pub kind: Option<String>,
    /// A short summary of the kind.
    pub title: Option<String>,
    /// The status, as the document gives it.
    pub status: Option<u16>,
    /// An explanation of this occurrence.
    pub detail: Option<String>,
    /// A URI that identifies this occurrence.
    pub instance: Option<String>,
}

impl Problem {
    /// Decodes a body as a problem document. Returns `None` if it is not a JSON object.
    ///
    /// A field with an invalid type is ignored, as RFC 9457, section 3.1, requires.
    pub fn read(body: &[u8]) -> Option<Self> {
        let mut fields: Map<String, Value> = serde_json::from_slice(body).ok()?;
        let mut text = |name: &str| match fields.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Some(Self {
            kind: text("type"),
            title: text("title"),
            detail: text("detail"),
            instance: text("instance"),
            status: fields.get("status").and_then(Value::as_u64).and_then(|n| n.try_into().ok()),
        })
    }
}
