//! Bookmarks: how far the receiver of a stream has read it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::Failure;

/// How far the receiver of a stream has read it. Its JSON is the state of the stream, and private to this program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Bookmark {
    /// The cursor in the feed of the mirror, up to which the receiver has all changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<String>,
    /// The number of the last row of a copy of the table that is not complete. The cursor is that of its begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) row: Option<i64>,
    /// The hash of the properties that the receiver has. With others, it gets a copy of the table again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) layout: Option<String>,
    /// The version of the copy, of `ACTIVATE_VERSION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<i64>,
    /// The time of the last sample, in seconds since 1970 (UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<i64>,
    /// The number of samples that were taken at this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<usize>,
}

impl Bookmark {
    /// Reads the state of a stream. Returns `None` for `null` and an empty object.
    pub(crate) fn parse(stream: &str, state: &Value) -> Result<Option<Self>, Failure> {
        if state.is_null() || state.as_object().is_some_and(serde_json::Map::is_empty) {
            return Ok(None);
        }
        let foreign = || {
            let text = format!("cannot read the state of `{stream}`: it is not of this program");
            Failure::usage(text).hint(START_OVER)
        };
        // A list would be read as the fields in their order.
        if !state.is_object() {
            return Err(foreign());
        }
        let bookmark = Self::deserialize(state).map_err(|_quotes| foreign())?;
        Ok(Some(bookmark))
    }
}

/// The hint for a state that cannot be used.
pub(crate) const START_OVER: &str = "to start over, remove the state of the stream, and its records from the target; then run again: the first run \
     copies everything";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Bookmark;

    #[test]
    fn a_state_of_another_program_is_refused() {
        assert_eq!(Bookmark::parse("photo", &json!({})).unwrap(), None);
        let state = json!({"cursor": "m1.a.1.b", "row": 7});
        let bookmark = Bookmark::parse("photo", &state).unwrap().unwrap();
        assert_eq!(serde_json::to_value(&bookmark).unwrap(), state);
        for foreign in [json!({"replication_key": "id"}), json!({"cursor": 7}), json!([])] {
            assert!(Bookmark::parse("photo", &foreign).is_err(), "{foreign}");
        }
    }
}
