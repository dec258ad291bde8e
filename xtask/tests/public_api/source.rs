//! Reads the modules of a crate, and expands the macros that it defines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::{Attribute, Ident, Item, UseTree, Visibility};

use crate::expand::Macros;

/// The modules of a crate by path, such as `decode::cursor`. The path of the root is empty.
pub(crate) struct Source {
    pub(crate) modules: BTreeMap<String, Vec<Found>>,
    /// The crates whose items are listed where this crate re-exports them. Each is a module of this name.
    runtimes: Vec<String>,
}

/// An item, with the conditions of its modules and macros.
pub(crate) struct Found {
    pub(crate) conditions: Vec<Attribute>,
    pub(crate) item: Item,
}

/// An import of one name, or of all names of a module if `name` is `None`.
pub(crate) struct Import {
    pub(crate) name: Option<String>,
    pub(crate) path: Vec<String>,
}

impl Source {
    /// Reads a crate, and the crates beside it that it re-exports.
    pub(crate) fn read(folder: &Path, runtimes: &[&str]) -> Self {
        let mut files = BTreeMap::new();
        read_file(&folder.join("src/lib.rs"), "", &[], &mut files);
        for runtime in runtimes {
            let root = folder.with_file_name(runtime).join("src/lib.rs");
            read_file(&root, &runtime.replace('-', "_"), &[], &mut files);
        }
        let runtimes: Vec<String> = runtimes.iter().map(|name| name.replace('-', "_")).collect();
        let macros = Macros::of(&files, &runtimes);
        let modules = files
            .into_iter()
            .map(|(path, items)| {
                (path, items.into_iter().flat_map(|one| macros.expanded(one)).collect())
            })
            .collect();
        Self { modules, runtimes }
    }

    /// Returns the crate that contains a module, as a module: the empty path, or a runtime.
    pub(crate) fn root_of(&self, module: &str) -> &str {
        let first = module.split("::").next().unwrap_or_default();
        self.runtime(first).unwrap_or_default()
    }

    /// Returns the runtime with this name.
    pub(crate) fn runtime(&self, name: &str) -> Option<&str> {
        self.runtimes.iter().find(|runtime| *runtime == name).map(String::as_str)
    }

    pub(crate) fn items(&self, module: &str) -> &[Found] {
        self.modules.get(module).map(Vec::as_slice).unwrap_or_default()
    }
}

fn read_file(
    file: &Path,
    module: &str,
    conditions: &[Attribute],
    modules: &mut BTreeMap<String, Vec<Found>>,
) {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed =
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let is_root = file.ends_with("lib.rs");
    let folder = if is_root { file.with_file_name("") } else { file.with_extension("") };
    read_items(parsed.items, &folder, module, conditions, modules);
}

fn read_items(
    items: Vec<Item>,
    folder: &Path,
    module: &str,
    conditions: &[Attribute],
    modules: &mut BTreeMap<String, Vec<Found>>,
) {
    let mut found = Vec::new();
    for item in items {
        let attributes = attributes(&item);
        if attributes.iter().any(is_for_tests) {
            continue;
        }
        if let Item::Mod(inner) = &item {
            let conditions: Vec<_> = conditions
                .iter()
                .chain(attributes.iter().filter(|one| is_condition(one)))
                .cloned()
                .collect();
            let (name, path) = (inner.ident.to_string(), within(module, &inner.ident.to_string()));
            match &inner.content {
                Some((_, items)) => {
                    read_items(items.clone(), &folder.join(name), &path, &conditions, modules);
                }
                None => read_file(&folder.join(format!("{name}.rs")), &path, &conditions, modules),
            }
        }
        found.push(Found { conditions: conditions.to_vec(), item });
    }
    modules.insert(module.to_owned(), found);
}

/// Returns the path of a name in a module.
pub(crate) fn within(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

pub(crate) fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

/// Returns whether rustdoc omits the item, so that it is not part of the public API.
pub(crate) fn is_hidden(attribute: &Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    attribute.path().is_ident("doc") && list.tokens.to_string() == "hidden"
}

fn is_for_tests(attribute: &Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    let condition = list.tokens.to_string();
    is_condition(attribute) && (condition == "test" || condition.contains("doctest"))
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the name and visibility of a definition; `None` for other items.
pub(crate) fn definition(item: &Item) -> Option<(&Ident, &Visibility)> {
    Some(match item {
        Item::Const(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        Item::Mod(item) => (&item.ident, &item.vis),
        Item::Static(item) => (&item.ident, &item.vis),
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::Type(item) => (&item.ident, &item.vis),
        _ => return None,
    })
}

/// Returns the imports of a `use` declaration.
pub(crate) fn imports(tree: &UseTree) -> Vec<Import> {
    fn walk(tree: &UseTree, path: &[String], imports: &mut Vec<Import>) {
        let with = |name: &Ident| [path, &[name.to_string()]].concat();
        let mut push = |name: Option<&Ident>, path| {
            imports.push(Import { name: name.map(Ident::to_string), path });
        };
        match tree {
            UseTree::Path(inner) => walk(&inner.tree, &with(&inner.ident), imports),
            // `self` in braces imports the module in front of them.
            UseTree::Name(inner) if inner.ident == "self" => {
                imports.push(Import { name: path.last().cloned(), path: path.to_vec() });
            }
            UseTree::Name(inner) => push(Some(&inner.ident), with(&inner.ident)),
            UseTree::Rename(inner) => push(Some(&inner.rename), with(&inner.ident)),
            UseTree::Glob(_) => push(None, path.to_vec()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| walk(tree, path, imports)),
        }
    }
    let mut imports = Vec::new();
    walk(tree, &[], &mut imports);
    imports
}
