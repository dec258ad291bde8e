//! Reads the modules of a crate: their definitions, imports and uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::visit::{self, Visit};

/// A crate. The first module is its root.
pub(crate) struct Crate {
    modules: Vec<Module>,
}

/// A module: a file, or a `mod` block of a file.
#[derive(Default)]
pub(crate) struct Module {
    /// The path of its file, relative to the folder of the root.
    pub(crate) file: String,
    /// The paths in its code, in order.
    pub(crate) uses: Vec<Vec<String>>,
    parent: usize,
    children: BTreeMap<String, usize>,
    defines: BTreeSet<String>,
    /// The names that `use` declarations import, with their paths.
    imports: BTreeMap<String, Vec<String>>,
    /// The modules that glob imports name.
    globs: Vec<Vec<String>>,
}

impl Crate {
    pub(crate) fn read(root: &Path) -> Self {
        let mut source = Self { modules: Vec::new() };
        let folder = root.parent().expect("a folder");
        source.file(root, folder, folder, 0);
        source
    }

    pub(crate) fn modules(&self) -> impl Iterator<Item = &Module> {
        self.modules.iter()
    }

    /// Returns the module that defines the item of a path, and the name of the item. `None` if the path leads to
    /// another crate or ends at a module.
    pub(crate) fn definition(&self, from: &Module, path: &[String]) -> Option<(&Module, String)> {
        let from = self.modules.iter().position(|module| std::ptr::eq(module, from))?;
        let (module, item) = self.resolve(from, path, 0)?;
        Some((&self.modules[module], item?))
    }

    /// Resolves a path to a module, and to an item in it unless the path ends at the module.
    fn resolve(
        &self,
        from: usize,
        path: &[String],
        depth: usize,
    ) -> Option<(usize, Option<String>)> {
        let (first, mut rest) = path.split_first()?;
        let mut current = match first.as_str() {
            "crate" | "$crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent,
            _ => return self.name(from, first, rest, depth),
        };
        while let Some(after) = rest.first().filter(|name| *name == "super").map(|_| &rest[1..]) {
            (current, rest) = (self.modules[current].parent, after);
        }
        match rest.split_first() {
            None => Some((current, None)),
            Some((name, rest)) => self
                .name(current, name, rest, depth)
                // A macro defines the item.
                .or_else(|| Some((current, Some(name.clone())))),
        }
    }

    /// Resolves a name of a module and the rest of a path after it.
    fn name(
        &self,
        module: usize,
        name: &str,
        rest: &[String],
        depth: usize,
    ) -> Option<(usize, Option<String>)> {
        let here = &self.modules[module];
        let child = here.children.get(name);
        // A function may have the same name as a module, but only a module can precede a rest.
        if here.defines.contains(name) && (rest.is_empty() || child.is_none()) {
            return Some((module, Some(name.to_owned())));
        }
        if let Some(child) = child {
            return match rest.split_first() {
                None => Some((*child, None)),
                Some((next, rest)) => self
                    .name(*child, next, rest, depth)
                    .or_else(|| Some((*child, Some(next.clone())))),
            };
        }
        // Stops at an import of itself, and at cycles of globs.
        if depth > 16 {
            return None;
        }
        if let Some(path) = here.imports.get(name) {
            let path: Vec<_> = path.iter().chain(rest).cloned().collect();
            return self.resolve(module, &path, depth + 1);
        }
        here.globs.iter().find_map(|glob| {
            let (target, item) = self.resolve(module, glob, depth + 1)?;
            (item.is_none() && target != module)
                .then(|| self.name(target, name, rest, depth + 1))
                .flatten()
        })
    }

    /// Reads a file as a module. `children` is the folder with the files of its modules.
    fn file(&mut self, path: &Path, root: &Path, children: &Path, parent: usize) -> usize {
        let text = fs::read_to_string(path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        let syntax = syn::parse_file(&text)
            .unwrap_or_else(|error| panic!("cannot parse {}: {error}", path.display()));
        let file = path.strip_prefix(root).expect("below the root").display().to_string();
        self.module(&file, &syntax.items, root, children, parent)
    }

    fn module(
        &mut self,
        file: &str,
        items: &[syn::Item],
        root: &Path,
        folder: &Path,
        parent: usize,
    ) -> usize {
        let index = self.modules.len();
        self.modules.push(Module { file: file.to_owned(), parent, ..Module::default() });
        let mut reader = Reader { module: Module::default(), depth: 0 };
        for item in items {
            let syn::Item::Mod(inner) = item else {
                reader.visit_item(item);
                continue;
            };
            if is_test(&inner.attrs) {
                continue;
            }
            let name = inner.ident.unraw().to_string();
            let folder_of_inner = folder.join(&name);
            let child = if let Some((_, items)) = &inner.content {
                self.module(file, items, root, &folder_of_inner, index)
            } else {
                let path = declared_path(&inner.attrs)
                    .map(|path| root.join(file).with_file_name(path))
                    .into_iter()
                    .chain([folder.join(format!("{name}.rs")), folder_of_inner.join("mod.rs")])
                    .find(|path| path.is_file());
                let Some(path) = path else { panic!("`mod {name}` of {file} has no file") };
                self.file(&path, root, &folder_of_inner, index)
            };
            reader.module.children.insert(name, child);
        }
        let Module { file, parent, .. } = std::mem::take(&mut self.modules[index]);
        self.modules[index] = Module { file, parent, ..reader.module };
        index
    }
}

/// Collects the names of one module.
struct Reader {
    module: Module,
    /// Number of enclosing items. Only the outermost items are names of the module.
    depth: usize,
}

impl Reader {
    fn import(&mut self, prefix: &[String], tree: &syn::UseTree, is_re_export: bool) {
        let with = |ident: &syn::Ident| {
            let mut path = prefix.to_vec();
            path.push(ident.unraw().to_string());
            path
        };
        let (path, name) = match tree {
            syn::UseTree::Path(tree) => {
                return self.import(&with(&tree.ident), &tree.tree, is_re_export);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(prefix, tree, is_re_export);
                }
                return;
            }
            syn::UseTree::Glob(_) => {
                self.module.globs.push(prefix.to_vec());
                return;
            }
            syn::UseTree::Name(tree) if tree.ident == "self" => {
                (prefix.to_vec(), prefix.last().cloned().unwrap_or_default())
            }
            syn::UseTree::Name(tree) => (with(&tree.ident), tree.ident.unraw().to_string()),
            syn::UseTree::Rename(tree) => (with(&tree.ident), tree.rename.unraw().to_string()),
        };
        // A re-export alone is not a use. A trait that is only imported is used through its methods.
        if !is_re_export {
            self.module.uses.push(path.clone());
        }
        if path != [name.as_str()] {
            self.module.imports.insert(name, path);
        }
    }

    /// Collects the paths in the input of a macro, of which only the tokens are known.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 && !path.is_empty() {
                        self.module.uses.push(std::mem::take(&mut path));
                    }
                    path.push(ident.unraw().to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    self.module.uses.push(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.module.uses.push(path);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (attributes, name) = match item {
            syn::Item::Const(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            syn::Item::Impl(item) => (&item.attrs, None),
            syn::Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            syn::Item::Mod(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Static(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Type(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Use(item) => (&item.attrs, None),
            _ => return visit::visit_item(self, item),
        };
        if is_test(attributes) {
            return;
        }
        if let Some(name) = name.filter(|_| self.depth == 0) {
            self.module.defines.insert(name.unraw().to_string());
        }
        self.depth += 1;
        visit::visit_item(self, item);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_re_export = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&[], &item.tree, is_re_export);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.unraw().to_string());
        self.module.uses.push(segments.collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, one: &'ast syn::Macro) {
        self.tokens(one.tokens.clone());
        visit::visit_macro(self, one);
    }
}

/// Returns whether an item is compiled only for tests.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| {
                    let words = list.tokens.to_string();
                    !words.contains("not")
                        && words.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test")
                })
    })
}

/// Returns the file in `#[path = "…"]`.
fn declared_path(attributes: &[syn::Attribute]) -> Option<PathBuf> {
    attributes.iter().find(|attribute| attribute.path().is_ident("path")).and_then(|attribute| {
        match &attribute.meta.require_name_value().ok()?.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) => {
                Some(path.value().into())
            }
            _ => None,
        }
    })
}
