//! How a record is shown, written, and read by serde.

use crate::emit::model::records::field::Form;
use crate::ir::Model;
use crate::text::{Rust, string};

pub(super) fn write(file: &mut Rust, model: &Model, forms: &[Form<'_>]) {
    let owned = model.rust.pascal();
    let borrowed = model.rust.followed_by("ref").pascal();
    debug(file, forms, &owned, &owned);
    debug(file, forms, &borrowed, &format!("{borrowed}<'_>"));
    serialize(file, forms, &owned);
    serialize(file, forms, &format!("{borrowed}<'_>"));
    deserialize(file, &owned, &borrowed);
    visitor(file, forms, &borrowed);
}

fn debug(file: &mut Rust, forms: &[Form<'_>], name: &str, ty: &str) {
    file.blank();
    file.open(format_args!("impl fmt::Debug for {ty} {{"));
    file.open("fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {");
    file.line(format_args!("f.debug_struct(\"{name}\")"));
    for form in forms {
        let field = &form.name;
        let value = match (form.field.personal, form.field.required) {
            (false, _) => format!("&self.{field}"),
            (true, false) => format!("&Redacted(&self.{field})"),
            (true, true) => "&format_args!(\"<redacted>\")".to_owned(),
        };
        file.line(format_args!("    .field(\"{field}\", {value})"));
    }
    file.line("    .field(\"extra\", &self.extra)");
    file.line("    .finish_non_exhaustive()");
    file.close("}");
    file.close("}");
}

fn serialize(file: &mut Rust, forms: &[Form<'_>], ty: &str) {
    file.blank();
    file.open(format_args!("impl Serialize for {ty} {{"));
    file.open("fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {");
    file.line("let mut map = serializer.serialize_map(None)?;");
    for form in forms {
        let (wire, field, index) = (string(&form.field.wire), &form.name, form.index);
        if form.field.required {
            file.line(format_args!("map.serialize_entry({wire}, &self.{field})?;"));
        } else {
            file.line(format_args!(
                "self.nulls.write(&mut map, {index}, {wire}, self.{field}.as_ref())?;"
            ));
        }
    }
    file.line("self.extra.write(&mut map)?;");
    file.line("map.end()");
    file.close("}");
    file.close("}");
}

fn deserialize(file: &mut Rust, owned: &str, borrowed: &str) {
    file.blank();
    file.open(format_args!("impl<'de> Deserialize<'de> for {owned} {{"));
    file.open("fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {");
    file.line(format_args!("{borrowed}::deserialize(deserializer).map({borrowed}::into_owned)"));
    file.close("}");
    file.close("}");
    file.blank();
    file.open(format_args!("impl<'de> Deserialize<'de> for {borrowed}<'de> {{"));
    file.open("fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {");
    file.line("deserializer.deserialize_map(Members)");
    file.close("}");
    file.close("}");
}

fn visitor(file: &mut Rust, forms: &[Form<'_>], borrowed: &str) {
    file.blank();
    file.doc("Reads an object, and nothing else.");
    file.line("struct Members;");
    file.blank();
    file.open("impl<'de> Visitor<'de> for Members {");
    file.line(format_args!("type Value = {borrowed}<'de>;"));
    file.blank();
    file.open("fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {");
    file.line("f.write_str(OBJECT.what)");
    file.close("}");
    file.blank();
    file.open(
        "fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {",
    );
    for form in forms {
        file.line(format_args!("let mut {} = Slot::<{}>::Empty;", form.name, form.slot()));
    }
    file.line("let mut extra = Extra::default();");
    file.open("while let Some(CowText(member)) = map.next_key()? {");
    file.open("match &*member {");
    for form in forms {
        let (wire, name) = (string(&form.field.wire), &form.name);
        let read = if form.field.required { "required" } else { "optional" };
        file.line(format_args!("{wire} => {name}.{read}({wire}, &mut map)?,"));
    }
    file.line("_ => extra.read(&member, &mut map)?,");
    file.close("}");
    file.close("}");
    nulls(file, forms);
    file.open(format_args!("Ok({borrowed} {{"));
    for form in forms {
        let (wire, name, index) = (string(&form.field.wire), &form.name, form.index);
        file.line(match (form.field.required, form.is_text()) {
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

/// Declares the mask of optional members that are `null`.
pub(super) fn nulls(file: &mut Rust, forms: &[Form<'_>]) {
    let optional = forms.iter().any(|form| !form.field.required);
    let keyword = if optional { "let mut" } else { "let" };
    file.line(format_args!("{keyword} nulls = Nulls::default();"));
}
