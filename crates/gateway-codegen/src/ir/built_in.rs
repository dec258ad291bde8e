//! The built-in types, which a spec uses without a declaration: one file for each.

use crate::ir::{BuiltIn, Form};

mod boolean;
mod integer;
mod text;

/// All built-in types, in the order in which messages list them.
pub static BUILT_IN: &[&BuiltIn] = &[&text::TEXT, &integer::INTEGER, &boolean::BOOLEAN];

impl Form {
    /// Returns the form of any text, for scalars that were rejected.
    pub(crate) fn any() -> &'static Self {
        &text::TEXT.form
    }
}

/// Returns a list of all built-in types, with a word or a comma before the last.
pub(crate) fn built_in_list(shown: impl Fn(&BuiltIn) -> String, before_last: &str) -> String {
    let shown: Vec<_> = BUILT_IN.iter().map(|one| shown(one)).collect();
    match shown.as_slice() {
        [first @ .., last] if !first.is_empty() => {
            format!("{}{before_last}{last}", first.join(", "))
        }
        one => one.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::BUILT_IN;
    use crate::spec::grammar::{DOCUMENT, Key, Shape, Table};

    #[test]
    fn the_grammar_names_every_built_in_type() {
        let mut found = 0;
        types(&DOCUMENT, &mut |key| {
            for one in BUILT_IN {
                assert!(key.doc.contains(&one.code()), "no {} in {:?}", one.code(), key.doc);
            }
            found += 1;
        });
        assert_eq!(found, 3, "fields have a type in each language, and parameters in both");
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
