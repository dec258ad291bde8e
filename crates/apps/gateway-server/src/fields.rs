//! The fields of one record, from a file of any format or from a stored JSON text.

#![expect(
    clippy::allow_attributes,
    reason = "an `expect` would be an error after a change of the spec"
)]

mod check;
mod column;
mod kind;
mod read;
mod value;

pub(crate) use gateway_model::Float;

pub(crate) use self::column::{Column, columns};
pub(crate) use self::kind::{Field, Kind, Known, kind, names};
pub(crate) use self::read::Fault;
pub(crate) use self::value::Fields;

/// A record of the service, which borrows its texts.
pub(crate) trait Record<'a>: Sized {
    /// The fields that an import reads.
    const FIELDS: &'static [Field];

    /// Borrows a record. Checks nothing; a field that is not given is empty.
    fn from_fields(fields: &'a Fields) -> Self;

    /// Returns a record with the values of the examples in the spec.
    fn example() -> Self;

    /// Appends the record as a JSON object with all its fields.
    fn write(&self, out: &mut Vec<u8>);
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeSeed as _;

    use super::*;
    use crate::fields::read::ReadValue;
    use crate::fields::value::Value;

    const INNER: &[Field] = &[
        Field { name: "id", kind: Kind::Id, is_required: true },
        Field { name: "count", kind: Kind::Integer { min: 0 }, is_required: true },
    ];

    const OUTER: &[Field] = &[
        Field { name: "name", kind: Kind::Text, is_required: true },
        Field { name: "size", kind: Kind::Choice(&["S", "M"]), is_required: false },
        Field { name: "open", kind: Kind::Boolean, is_required: false },
        Field { name: "price", kind: Kind::Decimal, is_required: false },
        Field { name: "inner", kind: Kind::Object(INNER), is_required: false },
    ];

    const LISTS: &[Field] = &[
        Field { name: "tags", kind: Kind::List(&Kind::Text), is_required: true },
        Field { name: "parts", kind: Kind::List(&Kind::Object(INNER)), is_required: false },
        Field { name: "sums", kind: Kind::Map(&Kind::List(&Kind::Decimal)), is_required: false },
    ];

    #[test]
    fn lists_and_maps_are_read_and_checked() {
        let good = r#"{"tags":["a",""],"parts":[{"id":"7","count":0}],"sums":{"x":["1.5"],"":[]}}"#;
        let fields = Fields::from_json(LISTS, good.as_bytes()).unwrap();
        assert_eq!(fields.wrong(&[LISTS]).map(|(name, _kind)| name), None);
        assert_eq!(fields.json("tags"), r#"["a",""]"#);
        assert!(!fields.lacks(&LISTS[0]));
        for (json, name) in [
            (r#"{"tags":"a"}"#, "tags"),
            (r#"{"tags":["a",1]}"#, "tags"),
            (r#"{"tags":[null]}"#, "tags"),
            (r#"{"parts":[{"count":0}]}"#, "parts"),
            (r#"{"parts":[{"id":"1","count":0,"x":1}]}"#, "parts"),
            (r#"{"parts":[{"id":"1","count":"0"}]}"#, "parts"),
            (r#"{"sums":{"x":["one"]}}"#, "sums"),
            (r#"{"sums":{"x":"1"}}"#, "sums"),
        ] {
            let fields = Fields::from_json(LISTS, json.as_bytes()).unwrap();
            assert_eq!(fields.wrong(&[LISTS]).map(|(name, _kind)| name), Some(name), "{json}");
        }
        assert!(Fields::from_json(LISTS, br#"{"sums":[]}"#).is_none());
        let mut cells = Fields::default();
        for column in columns(&[LISTS]) {
            cells.set(&column, if column.name == "tags" { r#"["a"]"# } else { "" });
        }
        assert_eq!(cells.wrong(&[LISTS]).map(|(name, _kind)| name), None);
        assert_eq!((cells.json("tags"), cells.json("parts")), (r#"["a"]"#, ""));
    }

    #[test]
    fn values_of_every_kind_are_read_and_checked() {
        let wrong = |json: &str| {
            let fields = Fields::from_json(OUTER, json.as_bytes()).unwrap();
            fields.wrong(&[OUTER]).map(|(name, _kind)| name)
        };
        let good =
            r#"{"name":"n","size":"M","open":true,"price":"1.5","inner":{"id":7,"count":0}}"#;
        assert_eq!(wrong(good), None);
        assert_eq!(wrong(r#"{"name":null,"size":"","inner":{"count":1}}"#), None);
        for (json, name) in [
            (r#"{"name":1}"#, "name"),
            (r#"{"size":"L"}"#, "size"),
            (r#"{"open":"yes"}"#, "open"),
            (r#"{"price":"1e3"}"#, "price"),
            (r#"{"inner":{"count":-1}}"#, "inner"),
            (r#"{"inner":{"id":true,"count":1}}"#, "inner"),
            (r#"{"inner":{"id":"1"}}"#, "inner"),
            (r#"{"inner":{"id":"1","count":""}}"#, "inner"),
        ] {
            assert_eq!(wrong(json), Some(name), "{json}");
        }
        for json in [r#"{"a":1}"#, r#"{"name":"","name":""}"#, r#"{"name":[]}"#, r#"{"name":{}}"#] {
            assert!(Fields::from_json(OUTER, json.as_bytes()).is_none(), "{json}");
        }
        let fields = Fields::from_json(OUTER, good.as_bytes()).unwrap();
        assert_eq!((fields.text("name"), fields.json("open")), ("n", "true"));
        let sizes = [("", "0"), ("S", "1"), ("M", "2")];
        assert_eq!((fields.listed("size", &sizes), fields.listed("none", &sizes)), ("2", ""));
        let inner = fields.object("inner").unwrap();
        assert_eq!((inner.text("id"), inner.json("count")), ("7", "0"));
    }

    /// One file may contain records of several kinds, whose fields the spec names independently.
    #[test]
    fn fields_of_one_name_may_have_several_kinds() {
        const TEXT: &[Field] = &[Field { name: "inner", kind: Kind::Text, is_required: false }];
        const OTHER: &[Field] = &[Field { name: "x", kind: Kind::Text, is_required: false }];
        const OBJECT: &[Field] =
            &[Field { name: "inner", kind: Kind::Object(OTHER), is_required: false }];
        let known = [TEXT, OUTER, OBJECT];
        for (json, kind) in [
            (r#"{"inner":"text"}"#, TEXT),
            (r#"{"inner":{"id":7,"count":0}}"#, OUTER),
            (r#"{"inner":{"x":"text"}}"#, OBJECT),
        ] {
            let mut parser = serde_json::Deserializer::from_str(json);
            let kinds = known.map(Kind::Object).to_vec();
            let value = ReadValue(kinds).deserialize(&mut parser).unwrap();
            let Some(Value::Object(fields)) = value else { panic!("{json}") };
            for other in known {
                assert_eq!(fields.wrong(&[other]).is_none(), std::ptr::eq(other, kind), "{json}");
            }
        }
    }

    #[test]
    fn a_cell_sets_the_field_of_its_column() {
        let columns = columns(&[OUTER, INNER]);
        let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(
            names,
            ["name", "size", "open", "price", "inner.id", "inner.count", "id", "count"]
        );
        let mut fields = Fields::default();
        for column in &columns {
            fields.set(column, "1");
        }
        let inner = fields.object("inner").unwrap();
        assert_eq!((inner.json("count"), fields.text("count")), ("1", "1"));
        assert_eq!(fields.wrong(&[OUTER]).map(|(name, _kind)| name), Some("size"));
    }
}
