//! Finds the constants of the crates that are limits.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Ident, ImplItemConst, Item, ItemConst, ItemMod, Lit, Meta};

/// A constant of a crate.
pub(crate) struct Constant {
    /// The name of its crate.
    pub(crate) package: String,
    /// The path of its module in the crate, as `feed::backoff`; empty for the root.
    pub(crate) module: String,
    pub(crate) name: String,
    /// Its documentation, one line.
    pub(crate) docs: String,
    pub(crate) value: Expr,
}

impl Constant {
    /// Returns the path in its crate, as a row of the table has it.
    pub(crate) fn path(&self) -> String {
        match self.module.as_str() {
            "" => self.name.clone(),
            module => format!("{module}::{}", self.name),
        }
    }

    /// Whether the documentation says that it is a limit.
    pub(crate) fn is_limit(&self) -> bool {
        LIMITS.iter().any(|words| self.docs.starts_with(words))
    }
}

/// The first words of the documentation of a limit.
const LIMITS: [&str; 12] = [
    "Capacity of ",
    "Default ",
    "Interval ",
    "Longest ",
    "Maximum ",
    "Minimum ",
    "Number of ",
    "Pause ",
    "Range of ",
    "Size ",
    "Time ",
    "Timeout ",
];

/// Returns the constants of all crates, in the order of crates and files.
pub(crate) fn all(crates: &Path) -> Vec<Constant> {
    let mut found = Vec::new();
    for folder in entries(crates).into_iter().filter(|folder| folder.join("src").is_dir()) {
        let package = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let root = folder.join("src");
        let (mut files, mut only_for_tests) = (Vec::new(), BTreeSet::new());
        collect(&root, &mut files);
        for file in files {
            // `src/a/b.rs` is the module `a::b`.
            let path = file.strip_prefix(&root).expect("below the root").with_extension("");
            let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
            let module = match parts.collect::<Vec<_>>().join("::") {
                module if ["lib", "main"].contains(&module.as_str()) => String::new(),
                module => module,
            };
            let text = fs::read_to_string(&file).expect("a source");
            // Parsing the other files would take most of the time.
            if !text.contains("const ") && !text.contains("#[cfg(test)]\nmod ") {
                continue;
            }
            // A template of the generator is not Rust.
            let Ok(source) = syn::parse_file(&text) else { continue };
            let mut reader = Reader {
                package: &package,
                module: module.clone(),
                found: &mut found,
                only_for_tests: &mut only_for_tests,
            };
            reader.visit_file(&source);
        }
        found.retain(|constant| {
            let is_below = |tests: &String| {
                constant.module == *tests || constant.module.starts_with(&format!("{tests}::"))
            };
            constant.package != package || !only_for_tests.iter().any(is_below)
        });
    }
    found
}

/// Collects the sources below a folder, except generated ones.
/// Returns the sources of all crates, except generated ones.
pub(crate) fn sources(crates: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(crates, &mut files);
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() && !path.ends_with("generated") {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the paths in a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

struct Reader<'a> {
    package: &'a str,
    module: String,
    found: &'a mut Vec<Constant>,
    /// The modules that are compiled for tests only.
    only_for_tests: &'a mut BTreeSet<String>,
}

impl Reader<'_> {
    fn add(&mut self, name: &Ident, attributes: &[Attribute], value: &Expr) {
        self.found.push(Constant {
            package: self.package.to_owned(),
            module: self.module.clone(),
            name: name.to_string(),
            docs: docs(attributes),
            value: value.clone(),
        });
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        self.add(&item.ident, &item.attrs, &item.expr);
    }

    fn visit_impl_item_const(&mut self, item: &'ast ImplItemConst) {
        self.add(&item.ident, &item.attrs, &item.expr);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        // The constants of functions are details of their algorithms.
        if !matches!(item, Item::Fn(_)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let name = item.ident.to_string();
        let inner = match self.module.as_str() {
            "" => name,
            module => format!("{module}::{name}"),
        };
        if item.attrs.iter().any(is_for_tests) {
            self.only_for_tests.insert(inner);
        } else {
            let outer = std::mem::replace(&mut self.module, inner);
            visit::visit_item_mod(self, item);
            self.module = outer;
        }
    }
}

/// Whether an attribute is `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn is_for_tests(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let condition = list.tokens.to_string();
    list.path.is_ident("cfg")
        && (condition == "test"
            || condition.strip_prefix("all").is_some_and(|all| all.contains("test")))
}

/// Returns the text of doc comments as one line.
fn docs(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let Expr::Lit(literal) = &pair.value
            && let Lit::Str(text) = &literal.lit
        {
            lines.push(text.value().trim().to_owned());
        }
    }
    lines.join(" ")
}
