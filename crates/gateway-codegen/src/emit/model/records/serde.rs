//! The `Debug`, `Serialize` and `Deserialize` implementations of a record.

use crate::emit::model::records::field::RecordField;
use crate::emit::model::records::nulls;
use crate::ir::Model;
use crate::text::{RustFile, string};

pub(super) fn write(file: &mut RustFile, model: &Model, fields: &[RecordField<'_>]) {
    let owned = model.rust.pascal();
    let borrowed = model.rust.followed_by("ref").pascal();
    debug(file, fields, &owned, &owned);
    debug(file, fields, &borrowed, &format!("{borrowed}<'_>"));
    serialize(file, fields, &owned);
    serialize(file, fields, &format!("{borrowed}<'_>"));
    deserialize(file, &owned, &borrowed);
    visitor(file, fields, &borrowed);
}

fn debug(file: &mut RustFile, fields: &[RecordField<'_>], name: &str, ty: &str) {
    file.blank();
    file.open(format_args!("impl fmt::Debug for {ty} {{"));
    file.open("fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {");
    file.line(format_args!("f.debug_struct(\"{name}\")"));
    for RecordField { name, spec, .. } in fields {
        let value = match (spec.personal, spec.required) {
            (false, _) => format!("&self.{name}"),
            (true, false) => format!("&Redacted(&self.{name})"),
            (true, true) => "&format_args!(\"<redacted>\")".to_owned(),
        };
        file.line(format_args!("    .field(\"{name}\", {value})"));
    }
    file.line("    .field(\"extra\", &self.extra)");
    file.line("    .finish_non_exhaustive()");
    file.close("}");
    file.close("}");
}

fn serialize(file: &mut RustFile, fields: &[RecordField<'_>], ty: &str) {
    file.blank();
    file.open(format_args!("impl Serialize for {ty} {{"));
    file.open("fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {");
    file.line("let mut map = serializer.serialize_map(None)?;");
    for RecordField { name, spec, index, .. } in fields {
        let wire = string(&spec.wire);
        if spec.required {
            file.line(format_args!("map.serialize_entry({wire}, &self.{name})?;"));
        } else {
            file.line(format_args!(
                "self.nulls.write(&mut map, {index}, {wire}, self.{name}.as_ref())?;"
            ));
        }
    }
    file.line("extra::write(&self.extra, &mut map)?;");
    file.line("map.end()");
    file.close("}");
    file.close("}");
}

fn deserialize(file: &mut RustFile, owned: &str, borrowed: &str) {
    file.blank();
    file.open(format_args!("impl<'de> Deserialize<'de> for {owned} {{"));
    file.open("fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {");
    file.line(format_args!("{borrowed}::deserialize(deserializer).map({borrowed}::into_owned)"));
    file.close("}");
    file.close("}");
    file.blank();
    file.open(format_args!("impl<'de> Deserialize<'de> for {borrowed}<'de> {{"));
    file.open("fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {");
    file.line("deserializer.deserialize_map(RecordVisitor)");
    file.close("}");
    file.close("}");
}

fn visitor(file: &mut RustFile, fields: &[RecordField<'_>], borrowed: &str) {
    file.blank();
    file.line("struct RecordVisitor;");
    file.blank();
    file.open("impl<'de> Visitor<'de> for RecordVisitor {");
    file.line(format_args!("type Value = {borrowed}<'de>;"));
    file.blank();
    file.open("fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {");
    file.line("f.write_str(OBJECT.what)");
    file.close("}");
    file.blank();
    file.open(
        "fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {",
    );
    for field in fields {
        file.line(format_args!("let mut {} = Slot::<{}>::Empty;", field.name, field.slot()));
    }
    file.line("let mut extra = Extra::default();");
    file.open("while let Some(CowText(wire_name)) = map.next_key()? {");
    file.open("match &*wire_name {");
    for RecordField { name, spec, .. } in fields {
        let wire = string(&spec.wire);
        let read = if spec.required { "required" } else { "optional" };
        file.line(format_args!("{wire} => {name}.{read}({wire}, &mut map)?,"));
    }
    file.line("_ => extra::read(&mut extra, &wire_name, &mut map)?,");
    file.close("}");
    file.close("}");
    nulls::declare(file, fields);
    file.open(format_args!("Ok({borrowed} {{"));
    for field in fields {
        let (wire, name, index) = (string(&field.spec.wire), &field.name, field.index);
        file.line(match (field.spec.required, field.is_text()) {
            (true, true) => format!("{name}: {name}.take({wire})?.0,"),
            (true, false) => format!("{name}: {name}.take({wire})?,"),
            (false, true) => {
                format!("{name}: {name}.note({index}, &mut nulls).map(|text| text.0),")
            }
            (false, false) => format!("{name}: {name}.note({index}, &mut nulls),"),
        });
    }
    file.line("extra,");
    file.line("nulls,");
    file.close("})");
    file.close("}");
    file.close("}");
}
