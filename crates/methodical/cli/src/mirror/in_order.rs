//! Records of a mirror with their fields in the order of the contract.

use std::fmt::Write as _;

use crate::output::record::Object;
use crate::output::select::Fields;

/// The documented order of fields. A mirror keeps none.
#[derive(Debug)]
pub(crate) struct InOrder<'a>(Vec<&'a str>);

impl<'a> InOrder<'a> {
    /// Creates the order of the documented fields of a record.
    pub(crate) fn of(fields: Fields<'a>) -> Self {
        Self(fields.iter().copied().filter(|name| !name.contains('.')).collect())
    }

    /// Returns a record with its documented fields first.
    pub(crate) fn write(&self, json: &str) -> String {
        let object = Object::parse(json);
        let others = object.names().filter(|name| !self.0.contains(name));
        let mut text = String::with_capacity(json.len());
        for name in self.0.iter().copied().chain(others) {
            if let Some(value) = object.get(name) {
                text.push(if text.is_empty() { '{' } else { ',' });
                // Writing to a string cannot fail.
                _ = write!(text, "{}:{value}", serde_json::Value::from(name));
            }
        }
        text.push_str(if text.is_empty() { "{}" } else { "}" });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::InOrder;

    #[test]
    fn documented_fields_precede_the_others() {
        let order = InOrder::of(&["id", "title", "studio", "studio.name", "size"]);
        assert_eq!(
            order.write(r#"{"a\"b":1,"id":"7","size":1.0,"studio":{"name":null},"title":""}"#),
            r#"{"id":"7","title":"","studio":{"name":null},"size":1.0,"a\"b":1}"#
        );
        assert_eq!(order.write("{}"), "{}");
    }
}
