//! Any spec, and any change to the strings of real specs: an error, or generated files whose structure does not depend
//! on free text.
//!
//! For an accepted spec, the files are generated twice, the second time with the same plain sentence in place of all
//! descriptions. Apart from comments and the contents of strings, both must have the same tokens.

#![no_main]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::OnceLock;

use arbitrary::{Arbitrary as _, Unstructured};
use libfuzzer_sys::fuzz_target;
use methodical_codegen::emit::{self, GeneratedFile};
use methodical_codegen::ir::Service;
use methodical_codegen::{Config, Workspace, spec};
use proc_macro2::{TokenStream, TokenTree};
use toml::Value;

/// The number of a real spec, and changes to its strings: the number of the string, the kind of change, and other text.
type Input<'a> = (u8, Vec<(u16, u8, &'a str)>);

fuzz_target!(|bytes: &[u8]| {
    // A spec from the input, or a real spec in which some strings are replaced.
    match bytes.split_first() {
        Some((0, text)) => check(text, BASES[0].0),
        Some((_, rest)) => changed(rest),
        None => {}
    }
    // The tokenizer would keep the text of every file.
    proc_macro2::extra::invalidate_current_thread_spans();
});

fn changed(bytes: &[u8]) {
    let input: Result<Input<'_>, _> = <_>::arbitrary_take_rest(Unstructured::new(bytes));
    let Ok((base, changes)) = input else { return };
    let (folder, base) = BASES[usize::from(base) % BASES.len()];
    let mut document = read(base).expect("the spec is valid");
    for &(at, kind, other) in changes.iter().take(8) {
        let mut places = Vec::new();
        texts(&mut document, "", &mut places);
        let at = usize::from(at) % places.len();
        let text = places.swap_remove(at).1;
        match kind % 8 {
            0 => other.clone_into(text),
            1 => text.push_str(other),
            2 => text.insert_str(0, other),
            3 => text.clear(),
            _ => text.push_str(HOSTILE[usize::from(kind / 8) % HOSTILE.len()]),
        }
    }
    check(written(&document).as_bytes(), folder);
}

fn check(text: &[u8], folder: &str) {
    let folder = Path::new(ROOT).join(folder);
    let reading = spec::read_bytes(text, Some(&folder), "spec/gateway.toml");
    let is_hidden = |letter: char| letter.is_ascii_control() && letter != '\n';
    let service = match reading {
        Ok(service) => service,
        Err(report) => {
            assert!(!report.text.contains(is_hidden), "{report:?}");
            assert!(report.text.starts_with("error: "), "{report}");
            return;
        }
    };
    let files = files_of(service);

    let mut document = read(str::from_utf8(text).unwrap()).unwrap();
    let mut places = Vec::new();
    texts(&mut document, "", &mut places);
    for (key, place) in places {
        if DESCRIPTIONS.contains(&key.as_str()) {
            "A plain sentence.".clone_into(place);
        }
    }
    let plain = spec::read_bytes(written(&document).as_bytes(), Some(&folder), "spec/gateway.toml");
    let plain = plain.unwrap_or_else(|report| panic!("a description is needed: {report}"));
    let plain = files_of(plain);
    assert_eq!(paths(&files), paths(&plain));
    for (file, plain) in files.iter().zip(&plain) {
        if file.path.ends_with(".rs") {
            if let Err(error) = syn::parse_file(&file.text) {
                panic!("{}: {error}", file.path);
            }
            assert_eq!(skeleton(&file.text), skeleton(&plain.text), "{}", file.path);
        } else if file.path.ends_with(".json") {
            serde_json::from_str::<serde_json::Value>(&file.text).unwrap();
        }
    }
}

fn paths(files: &[GeneratedFile]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).collect()
}

/// The tokens without comments and without the contents of strings.
fn skeleton(text: &str) -> String {
    let mut out = String::new();
    push(text.parse().unwrap(), &mut out);
    out
}

fn push(tokens: TokenStream, out: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            // A doc comment is an attribute to the tokenizer.
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                let bang = tokens
                    .next_if(|next| matches!(next, TokenTree::Punct(one) if one.as_char() == '!'));
                let is_doc = |next: &TokenTree| matches!(next, TokenTree::Group(group) if is_doc(group.stream()));
                if tokens.next_if(is_doc).is_none() {
                    out.push('#');
                    out.extend(bang.map(|_| '!'));
                }
            }
            TokenTree::Group(group) => {
                _ = write!(out, "{:?}", group.delimiter());
                out.push('{');
                push(group.stream(), out);
                out.push('}');
            }
            TokenTree::Literal(literal) if literal.to_string().contains('"') => {
                out.push_str("\"\" ")
            }
            other => _ = write!(out, "{other} "),
        }
    }
}

fn is_doc(attribute: TokenStream) -> bool {
    matches!(attribute.into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc")
}

/// Collects every string, with its key.
fn texts<'v>(value: &'v mut Value, key: &str, out: &mut Vec<(String, &'v mut String)>) {
    match value {
        Value::String(text) => out.push((key.to_owned(), text)),
        Value::Array(items) => items.iter_mut().for_each(|item| texts(item, key, out)),
        Value::Table(table) => table.iter_mut().for_each(|(key, value)| texts(value, key, out)),
        _ => {}
    }
}

/// Text that ends a comment or a string in some language.
const HOSTILE: [&str; 16] = [
    "*/ pub fn evil() {} /*",
    "\npub fn evil() {}",
    "\r\npub fn evil() {}",
    "\"; pub fn evil() {} //",
    "\\",
    "\"#; pub fn evil() {} //",
    "\"###; pub fn evil() {} //",
    "```\n#![allow(x)]\n```",
    "#![no_std]",
    "{evil}",
    "{{",
    "${evil}",
    "<script>",
    "--> ]]>",
    "`",
    "\u{2028}pub fn evil() {}",
];

/// Keys whose strings are only descriptions.
const DESCRIPTIONS: [&str; 2] = ["doc", "source"];

/// Specs, with the folders of their fixtures.
const BASES: [(&str, &str); 4] = [
    ("spec", include_str!("../../../spec/gateway.toml")),
    ("tests/fixtures/ledger", include_str!("../../fixtures/ledger/spec.toml")),
    ("tests/fixtures/box-office", include_str!("../../fixtures/box-office/spec.toml")),
    ("tests/fixtures/lead-desk", include_str!("../../fixtures/lead-desk/spec.toml")),
];

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn read(text: &str) -> Option<Value> {
    toml::from_str(text.trim_start_matches('\u{feff}')).ok().map(Value::Table)
}

fn written(document: &Value) -> String {
    toml::to_string(document).expect("a table can be written")
}

/// Generates the files of a service with the configuration of this workspace.
fn files_of(service: Service) -> Vec<GeneratedFile> {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    let config = CONFIG.get_or_init(|| {
        let text = include_bytes!("../../../spec/codegen.toml");
        Config::parse(text, "spec/codegen.toml").expect("the configuration")
    });
    emit::all(&Workspace { root: ROOT.into(), config: config.clone(), service })
}
