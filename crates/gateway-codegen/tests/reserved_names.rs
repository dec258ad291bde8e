//! The lists of reserved names are complete: they hold what generated code imports, what is at the
//! root of its crates, and the methods of the clients.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot start has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use gateway_codegen::config::Config;
use gateway_codegen::ir::RustName;
use gateway_codegen::spec::read_bytes;
use gateway_codegen::{Project, emit};
use syn::{ImplItem, Item, Type, UseTree};

fn parse(path: &Path) -> syn::File {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn crates() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The files in which generated types are used by their bare names.
fn generated() -> Vec<syn::File> {
    let files = [
        "gateway-client/src/generated/blocking.rs",
        "gateway-client/src/generated/client.rs",
        "gateway-model/src/generated/queries.rs",
        "gateway-server/src/generated/parameters.rs",
        "gateway-testkit/src/generated/mocks.rs",
    ];
    let models = fs::read_dir(crates().join("gateway-model/src/generated/models"));
    let models = models.expect("the models").map(|entry| entry.expect("an entry").path());
    files.iter().map(|file| crates().join(file)).chain(models).map(|path| parse(&path)).collect()
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
fn assert_reserved(name: &str, written: fn(&RustName) -> String) {
    let written = written(&RustName::new(name).expect("a name"));
    assert_eq!(
        written,
        format!("{name}_"),
        "add `{name}` to crates/gateway-codegen/src/ir/name/reserved.rs"
    );
}

#[test]
fn imported_and_declared_types_are_reserved() {
    for file in generated() {
        for path in imports(&file).iter().filter(|path| !is_declared(path)) {
            let name = path.last().expect("a segment");
            if is_type(name) {
                assert_reserved(name, RustName::pascal);
            }
        }
    }
    for file in ["client", "blocking"] {
        let file = parse(&crates().join(format!("gateway-client/src/generated/{file}.rs")));
        for item in &file.items {
            if let Item::Struct(syn::ItemStruct { ident, .. })
            | Item::Type(syn::ItemType { ident, .. }) = item
            {
                assert_reserved(&ident.to_string(), RustName::pascal);
            }
        }
    }
    // An explicit import takes precedence over a glob import, and would hide the type of the spec.
    let root = parse(&crates().join("gateway-model/src/lib.rs"));
    for path in imports(&root) {
        let name = path.last().expect("a segment");
        if is_type(name) {
            assert_reserved(name, RustName::pascal);
        }
    }
}

#[test]
fn crates_that_a_module_would_hide_are_reserved() {
    for file in generated() {
        for path in imports(&file).iter().filter(|path| path.len() > 1 && !is_declared(path)) {
            let first = path.first().expect("a segment");
            if first != "crate" && first != "wiremock" {
                assert_reserved(first, RustName::module);
            }
        }
    }
}

#[test]
fn methods_of_the_clients_are_reserved() {
    for file in ["client", "blocking"] {
        let file = parse(&crates().join(format!("gateway-client-core/src/{file}.rs")));
        let mut found = 0;
        for item in &file.items {
            let Item::Impl(item) = item else { continue };
            let Type::Path(ty) = &*item.self_ty else { continue };
            let is_client = ty.path.segments.last().is_some_and(|last| last.ident == "Client");
            if item.trait_.is_some() || !is_client {
                continue;
            }
            for item in &item.items {
                if let ImplItem::Fn(function) = item {
                    assert_reserved(&function.sig.ident.to_string(), RustName::method);
                    found += 1;
                }
            }
        }
        assert!(found > 5, "{found} methods");
    }
}

/// The types of the service and of its models are in different modules.
#[test]
fn a_service_may_have_the_name_of_its_model() {
    let spec = include_str!("good-spec.toml").replace("name = \"tool-shed\"", "name = \"tool\"");
    let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"));
    let service = read_bytes(spec.as_bytes(), here, "spec.toml").service.expect("it is valid");
    let config = Config::parse(include_bytes!("../../../spec/codegen.toml")).expect("it is valid");
    for file in emit::all(&Project { service: &service, config: &config }) {
        let Ok(parsed) = syn::parse_file(&file.text) else { continue };
        let names = imports(&parsed).into_iter().filter_map(|path| path.last().cloned());
        let types: Vec<_> = names.filter(|name| is_type(name)).collect();
        let distinct: BTreeSet<_> = types.iter().collect();
        assert_eq!(types.len(), distinct.len(), "{}: {types:?}", file.path);
    }
}
