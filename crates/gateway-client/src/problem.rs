//! Problem details: what a service says about its own error (RFC 9457).

use serde_json::{Map, Value};

/// The members of a problem document (RFC 9457, section 3.1). All are optional, and all are text of the service:
/// show them to a person with care.
///
/// # Examples
///
/// ```
/// use gateway_client::Problem;
///
/// let problem = Problem::read(br#"{"title":"Unknown method","status":400,"extra":1}"#).unwrap();
/// assert_eq!(problem.title.as_deref(), Some("Unknown method"));
/// assert_eq!(problem.status, Some(400));
/// assert_eq!(problem.detail, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// A URI that names the kind of problem (`type`).
    pub kind: Option<String>,
    /// A short summary of the kind.
    pub title: Option<String>,
    /// The status that the service gave.
    pub status: Option<u16>,
    /// What happened this time.
    pub detail: Option<String>,
    /// A URI that names this occurrence.
    pub instance: Option<String>,
}

impl Problem {
    /// Reads a body as a problem document; `None` if it is no JSON object.
    ///
    /// A member of another type than RFC 9457 says is left out, as its section 3.1 asks.
    pub fn read(body: &[u8]) -> Option<Self> {
        let mut members: Map<String, Value> = serde_json::from_slice(body).ok()?;
        let mut text = |name: &str| match members.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Some(Self {
            kind: text("type"),
            title: text("title"),
            detail: text("detail"),
            instance: text("instance"),
            status: members.get("status").and_then(Value::as_u64).and_then(|n| n.try_into().ok()),
        })
    }
}
