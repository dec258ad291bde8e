//! What other crates get with this one: few crates below the core, and signatures that name no client.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use syn::visit::{self, Visit};
use syn::{ImplItem, Item, Type, UseTree, Visibility};

/// A signature that named a client would tie every user to its version.
#[test]
fn public_signatures_name_only_crates_of_the_core() {
    let mut found = Vec::new();
    for file in sources(&root().join("src")) {
        let is_tower = file.ends_with("src/tower.rs");
        let source = fs::read_to_string(&file).unwrap();
        let foreign = foreign_crates(&source).into_iter();
        // The one exception: a service is what that module is about. The crate is the trait and nothing else.
        let foreign = foreign.filter(|(_, name)| !(is_tower && name == "tower_service"));
        found.extend(foreign.map(|(item, name)| format!("{}: {item}: {name}", file.display())));
    }
    assert_eq!(found, [""; 0]);
}

/// The check above sees what it is there to see.
#[test]
fn foreign_crates_are_seen_wherever_they_stand() {
    let source = "
        use ::reqwest::{Client, redirect::Policy as Redirects};
        use std::io::{self, Read};
        pub use hyper::Error as HyperError;
        pub struct Named { pub client: Client, policy: Redirects }
        pub fn returns(path: &io::Result<()>) -> Result<(), rustls::Error> { todo!() }
        pub fn bounded<T: Into<Redirects>>(value: T) where T: tower::Service<()> {}
        pub trait Super: ureq::Transport { fn call(&self) -> Client; }
        pub enum Kind { One(Client) }
        pub type Alias = Option<Client>;
        impl Named { pub fn make() -> Client { todo!() } fn hidden() -> Client { todo!() } }
        impl From<url::Url> for Named { fn from(_: url::Url) -> Self { todo!() } }
        struct Private(Client);
        impl From<Client> for Private { fn from(_: Client) -> Self { todo!() } }
        pub(crate) fn inside(_: Client) {}
    ";
    let found: Vec<String> =
        foreign_crates(source).iter().map(|(item, name)| format!("{item}: {name}")).collect();
    let expected = [
        "Alias: reqwest",
        "Kind: reqwest",
        "Named: reqwest",
        "Named: url",
        "Super: reqwest",
        "Super: ureq",
        "bounded: reqwest",
        "bounded: tower",
        "returns: rustls",
        "use: hyper",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_core_stands_on_few_crates() {
    let crates = crates_below("");
    assert!(crates.len() <= 12, "{crates:?}");
}

#[test]
fn no_client_comes_without_its_feature() {
    let crates = crates_below("bridge,cassette,gzip,tower,rustls");
    let clients = ["hyper", "reqwest", "ureq", "hyper-util", "url"];
    assert_eq!(clients.iter().find(|name| crates.contains(**name)), None);
    assert!(!crates_below("ureq,rustls").contains("tokio"));
}

/// The crates of a build with these features, this one included.
fn crates_below(features: &str) -> BTreeSet<String> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none"])
        .args(["--no-default-features", "--features", features])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// Each public item that names a crate outside of the core, with that crate.
fn foreign_crates(source: &str) -> BTreeSet<(String, String)> {
    let file = syn::parse_file(source).unwrap();
    let mut imports = BTreeMap::new();
    for item in &file.items {
        if let Item::Use(item) = item {
            import(&item.tree, &[], &mut imports);
        }
    }
    assert!(!imports.contains_key("*"), "a glob does not say what it imports");
    let names = |item: &Item| match item {
        Item::Struct(item) if is_public(&item.vis) => Some(item.ident.to_string()),
        Item::Enum(item) if is_public(&item.vis) => Some(item.ident.to_string()),
        _ => None,
    };
    let types = file.items.iter().filter_map(names).collect();
    let mut signatures = Signatures { imports, types, item: String::new(), found: BTreeSet::new() };
    signatures.visit_file(&file);
    signatures.found
}

/// Notes under which name each `use` below `path` brings in something, and of which crate.
fn import(tree: &UseTree, path: &[String], imports: &mut BTreeMap<String, String>) {
    let mut note = |name: &syn::Ident, own: &syn::Ident| {
        let name = if name == "self" { path.last().cloned() } else { Some(name.to_string()) };
        let root = path.first().cloned().unwrap_or_else(|| own.to_string());
        imports.insert(name.unwrap_or_default(), root);
    };
    match tree {
        UseTree::Path(inner) => {
            let path = [path, &[inner.ident.to_string()]].concat();
            import(&inner.tree, &path, imports);
        }
        UseTree::Name(name) => note(&name.ident, &name.ident),
        UseTree::Rename(rename) => note(&rename.rename, &rename.ident),
        UseTree::Group(group) => group.items.iter().for_each(|tree| import(tree, path, imports)),
        UseTree::Glob(_) => drop(imports.insert("*".to_owned(), String::new())),
    }
}

/// Walks through what is public of a file and is not the inside of a function.
struct Signatures {
    imports: BTreeMap<String, String>,
    /// The public types of the file; what is implemented for others is nobody else's business.
    types: BTreeSet<String>,
    item: String,
    found: BTreeSet<(String, String)>,
}

impl Signatures {
    fn note(&mut self, name: &str) {
        if !CORE.contains(&name) {
            self.found.insert((self.item.clone(), name.to_owned()));
        }
    }
}

impl<'ast> Visit<'ast> for Signatures {
    fn visit_item(&mut self, item: &'ast Item) {
        let (name, is_public) = match item {
            Item::Const(item) => (item.ident.to_string(), is_public(&item.vis)),
            Item::Enum(item) => (item.ident.to_string(), is_public(&item.vis)),
            Item::Fn(item) => (item.sig.ident.to_string(), is_public(&item.vis)),
            Item::Static(item) => (item.ident.to_string(), is_public(&item.vis)),
            Item::Struct(item) => (item.ident.to_string(), is_public(&item.vis)),
            Item::Trait(item) => (item.ident.to_string(), is_public(&item.vis)),
            Item::Type(item) => (item.ident.to_string(), is_public(&item.vis)),
            Item::Use(item) => ("use".to_owned(), is_public(&item.vis)),
            Item::Mod(item) => (item.ident.to_string(), is_public(&item.vis)),
            Item::Impl(item) => {
                let name = match &*item.self_ty {
                    Type::Path(path) => {
                        path.path.segments.last().map(|last| last.ident.to_string())
                    }
                    _ => None,
                };
                let is_public = name.as_ref().is_none_or(|name| self.types.contains(name));
                (name.unwrap_or_default(), is_public)
            }
            _ => return,
        };
        if is_public {
            self.item = name;
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut imports = BTreeMap::new();
        import(&item.tree, &[], &mut imports);
        for name in imports.values() {
            self.note(name);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        // The fields of a variant are as public as the enum, and do not say so.
        variant.fields.iter().for_each(|field| self.visit_type(&field.ty));
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if is_public(&field.vis) {
            visit::visit_field(self, field);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        visit::visit_generics(self, &item.generics);
        visit::visit_type(self, &item.self_ty);
        if let Some((of_trait, _)) = &item.trait_ {
            self.visit_path(of_trait);
        }
        for inner in &item.items {
            let is_public = match inner {
                ImplItem::Fn(inner) => item.trait_.is_some() || is_public(&inner.vis),
                ImplItem::Const(inner) => item.trait_.is_some() || is_public(&inner.vis),
                _ => true,
            };
            if is_public {
                self.visit_impl_item(inner);
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let Some(first) = path.segments.first() else { return };
        let first = first.ident.to_string();
        let is_crate = path.leading_colon.is_some()
            || path.segments.len() > 1 && first.starts_with(char::is_lowercase);
        if let Some(root) = self.imports.get(&first).filter(|_| path.leading_colon.is_none()) {
            self.note(&root.clone());
        } else if is_crate {
            self.note(&first);
        }
        visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_block(&mut self, _: &'ast syn::Block) {}

    fn visit_expr(&mut self, _: &'ast syn::Expr) {}
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    files.collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a public signature may name.
const CORE: [&str; 8] = ["bytes", "crate", "http", "http_body", "self", "std", "super", "Self"];
