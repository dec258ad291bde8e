//! The way in which a model reads records.

use std::fmt::Write as _;
use std::ptr;

use methodical_model::Record;
use methodical_model::codegen::{Object, Shape};
use serde::Serialize;

use crate::error::{Error, ErrorKind};

/// Returns a text that differs from that of each model that may read the same JSON as another value.
pub(crate) fn reading<R: Record>() -> String {
    let mut reading = String::new();
    describe(Shape::Object(R::OBJECT), &mut Vec::new(), &mut reading);
    reading
}

/// Writes a record as JSON, in the spelling of its model: values that the model reads as the same are the same text.
pub(crate) fn render(record: &impl Serialize, json: &mut Vec<u8>) -> Result<(), Error> {
    json.clear();
    serde_json::to_writer(json, record).map_err(|error| {
        Error::new(ErrorKind::Record, "cannot write a record as JSON").because(error)
    })
}

/// Appends everything by which values of a shape are read.
fn describe(shape: Shape, seen: &mut Vec<&'static Object>, text: &mut String) {
    let (name, inner) = match shape {
        Shape::Object(object) => return describe_object(object, seen, text),
        Shape::Leaf(leaf) => (leaf.expected, None),
        Shape::List(inner) => ("list", Some(inner)),
        Shape::OneOrList(inner) => ("one or list", Some(inner)),
        Shape::OrEmptyList(inner) => ("or empty list", Some(inner)),
        Shape::OrBlank(inner) => ("or blank", Some(inner)),
        Shape::Map(inner) => ("map", Some(inner)),
    };
    text.push_str(name);
    if let Some(inner) = inner {
        text.push_str(" of ");
        describe(inner(), seen, text);
    }
}

fn describe_object(object: &'static Object, seen: &mut Vec<&'static Object>, text: &mut String) {
    text.push_str(object.what);
    // A record may contain itself.
    if seen.iter().any(|one| ptr::eq(*one, object)) {
        return;
    }
    seen.push(object);
    text.push('{');
    for member in object.members {
        let _infallible = write!(text, "{:?} {}: ", member.name, member.required);
        describe((member.shape)(), seen, text);
        text.push(';');
    }
    text.push('}');
}

#[cfg(test)]
mod tests {
    use methodical_model::codegen::{Member, Object, Shape, Value};

    use super::describe;

    static LEAF: Object = object(&[Member { name: "a", required: true, shape: String::shape }]);
    static OTHER: Object = object(&[Member { name: "a", required: true, shape: i64::shape }]);
    static TREE: Object = object(&[Member {
        name: "children",
        required: false,
        shape: || Shape::List(|| Shape::Object(&TREE)),
    }]);

    const fn object(members: &'static [Member]) -> Object {
        Object { what: "a photo object", members }
    }

    fn described(object: &'static Object) -> String {
        let mut text = String::new();
        describe(Shape::Object(object), &mut Vec::new(), &mut text);
        text
    }

    #[test]
    fn models_that_read_in_another_way_have_another_description() {
        assert_eq!(described(&LEAF), r#"a photo object{"a" true: text;}"#);
        assert_eq!(described(&OTHER), r#"a photo object{"a" true: an integer;}"#);
        let tree = r#"a photo object{"children" false: list of a photo object;}"#;
        assert_eq!(described(&TREE), tree);
    }

    #[test]
    fn each_shape_has_its_own_description() {
        static ALL: Object = object(&[
            Member { name: "a", required: false, shape: bool::shape },
            Member { name: "b", required: false, shape: u64::shape },
            Member { name: "d", required: false, shape: || Shape::OneOrList(String::shape) },
            Member { name: "e", required: false, shape: || Shape::OrEmptyList(String::shape) },
            Member { name: "f", required: false, shape: || Shape::OrBlank(String::shape) },
            Member { name: "g", required: false, shape: || Shape::Map(String::shape) },
        ]);
        assert_eq!(
            described(&ALL),
            r#"a photo object{"a" false: true or false;"b" false: a non-negative integer;"d" false: one or list of text;"e" false: or empty list of text;"f" false: or blank of text;"g" false: map of text;}"#
        );
    }
}
