//! Random specs, with hostile texts and names wherever the language allows them. The generated code
//! parses, and its behaviour does not depend on descriptions.

use std::collections::BTreeSet;

use methodical_codegen::config::Config;
use methodical_codegen::{Project, emit};
use proc_macro2::{TokenStream, TokenTree};

use crate::drawn::{covering, read};

/// The configuration of this workspace.
const CONFIG: &[u8] = include_bytes!("../../../../../spec/codegen.toml");

/// Returns the tokens of a file without its descriptions.
fn code(tokens: TokenStream) -> Vec<String> {
    let mut code = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                let inner =
                    matches!(rest.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!');
                if inner {
                    rest.next();
                }
                match rest.next() {
                    Some(TokenTree::Group(group)) if group.to_string().starts_with("[doc =") => {}
                    other => code.extend(other.map(|other| format!("#{other}"))),
                }
            }
            TokenTree::Group(group) => {
                code.push(format!("{:?}", group.delimiter()));
                code.extend(self::code(group.stream()));
            }
            other => code.push(other.to_string()),
        }
    }
    code
}

#[test]
fn generated_code_parses_and_ignores_descriptions() {
    for number in 0..64 {
        let (hostile, dull) = (read(number, false).1, read(number, true).1);
        for model in &hostile.models {
            let columns = hostile.flat_columns(model);
            assert_eq!(BTreeSet::from_iter(&columns).len(), columns.len(), "{columns:?}");
        }
        let config = Config::parse(CONFIG).expect("it is valid");
        let all = |service| emit::all(&Project { service, config: &config });
        let (hostile, dull) = (all(&hostile), all(&dull));
        assert_eq!(hostile.len(), dull.len());
        for (one, other) in hostile.iter().zip(&dull) {
            assert_eq!(one.path, other.path);
            if one.path.strip_suffix(".rs").is_none() {
                continue;
            }
            if let Err(error) = syn::parse_file(&one.text) {
                let line = one.text.lines().nth(error.span().start().line.saturating_sub(1));
                panic!("{number}, {}: {error}: {line:?}", one.path);
            }
            let tokens = |text: &str| code(text.parse().expect("it was parsed"));
            assert_eq!(tokens(&one.text), tokens(&other.text), "{number}, {}", one.path);
        }
    }
}

/// All words of the grammar, each kind of value in each place, and each form of a response.
#[test]
fn random_specs_have_every_feature_of_the_language() {
    let (chosen, missing) = covering();
    assert_eq!(missing, BTreeSet::new());
    assert!(chosen.len() < 26, "{} specs are many to compile: {chosen:?}", chosen.len());
}
