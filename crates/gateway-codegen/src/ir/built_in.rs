//! The built-in types, which a spec uses without a declaration: one file for each.

use crate::ir::{BuiltIn, Form};

mod boolean;
mod float;
mod integer;
mod text;

/// All built-in types, in the order in which messages list them.
pub static BUILT_IN: &[&BuiltIn] =
    &[&text::TEXT, &integer::INTEGER, &float::FLOAT, &boolean::BOOLEAN];

impl Form {
    /// Returns the form of any text, for scalars that were rejected.
    pub(crate) fn any() -> &'static Self {
        &text::TEXT.form
    }
}

/// Returns the built-in types of a version of the language.
pub(crate) fn built_in(language: i64) -> impl Iterator<Item = &'static BuiltIn> {
    BUILT_IN.iter().copied().filter(move |one| one.since <= language)
}

/// Returns a list of at least two built-in types, with a word or a comma before the last.
pub(crate) fn built_in_list(
    types: impl Iterator<Item = &'static BuiltIn>,
    shown: impl Fn(&BuiltIn) -> String,
    before_last: &str,
) -> String {
    let shown: Vec<_> = types.map(shown).collect();
    shown.split_last().map_or_else(String::new, |(last, first)| {
        format!("{}{before_last}{last}", first.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::built_in;
    use crate::spec::grammar::{DOCUMENT, Key, Language, Shape, Table};

    #[test]
    fn the_grammar_names_every_built_in_type() {
        let mut found = 0;
        types(&DOCUMENT, &mut |key| {
            let language = key.only.map_or(1, Language::number);
            for one in built_in(language) {
                assert!(key.doc.contains(&one.code()), "no {} in {:?}", one.code(), key.doc);
            }
            found += 1;
        });
        assert_eq!(found, 4, "fields and parameters have a type in each language");
    }

    /// Calls a function with every key that names a type.
    fn types(table: &Table, visit: &mut impl FnMut(&Key)) {
        for key in table.keys {
            match key.shape {
                Shape::Table(inner) | Shape::Named(_, inner) | Shape::Tables(inner) => {
                    types(inner, visit);
                }
                _ if key.name == "type" => visit(key),
                _ => {}
            }
        }
    }
}
