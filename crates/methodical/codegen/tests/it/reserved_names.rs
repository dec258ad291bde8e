//! The lists of reserved names are complete: they hold what generated code imports, and what is at the
//! root of its crates.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use methodical_codegen::ir::{RustName, Service};
use syn::{Item, UseTree};

use crate::samples::{paths, read};
use crate::{config, files, good, service};

fn parse(path: &Path) -> syn::File {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn crates() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The files in which generated types are declared, or used by their bare names.
const WITH_BARE_NAMES: [&str; 4] = [
    "crates/gateway-model/src/generated/queries.rs",
    "crates/gateway-model/src/generated/types.rs",
    "crates/apps/gateway-server/src/generated/parameters.rs",
    "crates/gateway-testkit/src/generated/mocks.rs",
];

/// Returns the files of a service whose paths begin with one of these.
fn generate_only(paths: &[&str], spec: &str) -> Vec<syn::File> {
    files_of(&service(crate::read(spec)), paths)
}

fn files_of(service: &Service, paths: &[&str]) -> Vec<syn::File> {
    let files = files(service, &config());
    let files = files.iter().filter(|file| paths.iter().any(|path| file.path.starts_with(path)));
    files.map(|file| syn::parse_file(&file.text).expect("it is Rust")).collect()
}

/// Returns these files of the gateway and of every sample service, which together have every feature of the language.
fn generated() -> Vec<syn::File> {
    paths().iter().flat_map(|path| files_of(&read(path), &WITH_BARE_NAMES)).collect()
}

/// Each import, from its first segment to its last.
fn imports(file: &syn::File) -> Vec<Vec<String>> {
    fn walk(tree: &UseTree, before: &[String], all: &mut Vec<Vec<String>>) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => walk(&path.tree, &with(&path.ident), all),
            UseTree::Name(name) => all.push(with(&name.ident)),
            UseTree::Rename(_) | UseTree::Glob(_) => {}
            UseTree::Group(group) => group.items.iter().for_each(|tree| walk(tree, before, all)),
        }
    }
    let mut all = Vec::new();
    for item in &file.items {
        if let Item::Use(item) = item {
            walk(&item.tree, &[], &mut all);
        }
    }
    all
}

/// Returns whether an import names something that the spec declares.
fn is_declared(path: &[String]) -> bool {
    let first: Vec<_> = path.iter().map(String::as_str).take(2).collect();
    matches!(first.as_slice(), ["super" | "gateway_model", ..] | ["crate", "generated"])
}

fn is_type(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
}

#[track_caller]
fn assert_reserved<N: AsRef<str>>(
    names: impl IntoIterator<Item = N>,
    written: fn(&RustName) -> String,
) {
    let missing: BTreeSet<_> = names
        .into_iter()
        .map(|name| name.as_ref().to_owned())
        .filter(|name| written(&RustName::new(name).expect("a name")) != format!("{name}_"))
        .collect();
    assert!(missing.is_empty(), "add to crates/methodical/codegen/src/ir/name.rs: {missing:?}");
}

/// Checks the types among these imports.
#[track_caller]
fn assert_types_reserved(imports: &[Vec<String>]) {
    let names = imports.iter().filter_map(|path| path.last()).map(String::as_str);
    assert_reserved(names.filter(|name| is_type(name)), RustName::pascal);
}

/// Returns what generated code imports and the spec does not declare.
fn imports_of_generated_code() -> Vec<Vec<String>> {
    let all = generated();
    all.iter().flat_map(imports).filter(|path| !is_declared(path)).collect()
}

#[test]
fn imported_and_declared_types_are_reserved() {
    assert_types_reserved(&imports_of_generated_code());
}

/// An explicit export takes precedence over a glob export, and would hide the type of the spec.
#[test]
fn types_at_the_root_of_the_model_are_reserved() {
    for root in ["gateway-model/src/lib.rs", "methodical/codegen/src/init/model/lib.rs"] {
        let exports = imports(&parse(&crates().join(root)));
        assert!(exports.len() > 10, "{exports:?}");
        assert_types_reserved(&exports);
    }
}

/// The types of the service and of its models are in different modules.
#[test]
fn a_service_may_have_the_name_of_its_model() {
    let spec = good().replace("name = \"tool-shed\"", "name = \"tool\"");
    for file in files(&service(crate::read(spec)), &config()) {
        let Ok(parsed) = syn::parse_file(&file.text) else { continue };
        let names = imports(&parsed).into_iter().filter_map(|path| path.last().cloned());
        let types: Vec<_> = names.filter(|name| is_type(name)).collect();
        let distinct: BTreeSet<_> = types.iter().collect();
        assert_eq!(types.len(), distinct.len(), "{}: {types:?}", file.path);
    }
}

/// The module of the service declares no other type.
#[test]
fn a_service_may_have_the_name_of_an_imported_type() {
    let spec = good().replace(
        "[auth]\nbearer = {}",
        "[auth]\nsecret = { in = \"query\", name = \"key\", doc = \"A key.\" }",
    );
    let spec = spec.replace("selector = \"call\"", "selector = \"call\"\nconstants = { a = 1 }");
    let spec = spec.replace("call=tools/list&", "call=tools/list&a=1&");
    let path = ["crates/gateway-model/src/generated/service.rs"];
    let module = |name: &str| {
        let spec = spec.replace("name = \"tool-shed\"", &format!("name = \"{name}\""));
        generate_only(&path, &spec).pop().expect("the module")
    };
    let imported: Vec<_> =
        imports(&module("tool-shed")).into_iter().filter_map(|mut path| path.pop()).collect();
    assert!(imported.len() >= 5, "{imported:?}");
    for name in imported {
        let file = module(&RustName::new(&name).expect("a name").kebab());
        let declared = file.items.iter().filter_map(|item| match item {
            Item::Struct(item) => Some(item.ident.to_string()),
            _ => None,
        });
        assert_eq!(declared.collect::<Vec<_>>(), [format!("{name}_")]);
    }
}
