//! Finds the items that are accessible from outside the crate, and their public paths.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Attribute, Item, Visibility};

use crate::source::{
    Found, Import, Source, attributes, definition, imports, is_condition, is_hidden, within,
};

/// The items that are accessible from outside the crate.
pub(crate) struct Public {
    /// The public paths, each with its target and the conditions of the re-exports that lead to it.
    /// A path has several targets only under different conditions.
    pub(crate) names: BTreeMap<String, Vec<(Target, Vec<Attribute>)>>,
    /// The paths at which these items are defined.
    pub(crate) definitions: BTreeSet<String>,
}

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// An item of this crate other than a module, by its path.
    Item(String),
    /// A module of this crate, by its path.
    Module(String),
    /// An item of another crate, by its path.
    Foreign(String),
}

impl Public {
    pub(crate) fn of(source: &Source, name: &str) -> Self {
        let mut public = Self { names: BTreeMap::new(), definitions: BTreeSet::new() };
        public.module(source, "", name, &[]);
        public
    }

    /// Returns the shortest public path of an item from the root of the crate, or its name if it is
    /// private.
    pub(crate) fn path_of(&self, item: &str) -> String {
        let names = self.names.iter().filter(|(_, targets)| {
            targets.iter().any(|(target, _)| *target == Target::Item(item.to_owned()))
        });
        let paths = names.filter_map(|(path, _)| path.split_once("::").map(|(_, path)| path));
        let own = item.rsplit("::").next().unwrap_or_default();
        paths.min_by_key(|path| path.len()).unwrap_or(own).to_owned()
    }

    fn module(&mut self, source: &Source, module: &str, path: &str, conditions: &[Attribute]) {
        for Found { item, .. } in source.items(module) {
            if attributes(item).iter().any(is_hidden) {
                continue;
            }
            let own = attributes(item).iter().filter(|one| is_condition(one));
            let with_own: Vec<Attribute> = conditions.iter().chain(own).cloned().collect();
            match item {
                Item::Use(one) if is_public(&one.vis) => {
                    for import in imports(&one.tree) {
                        self.import(source, module, path, &with_own, &import);
                    }
                }
                item => match definition(item) {
                    Some((name, visibility)) if is_public(visibility) => {
                        let target = local(item, within(module, &name.to_string()));
                        // The attributes of other items are printed with them.
                        let is_module = matches!(target, Target::Module(_));
                        let conditions = if is_module { &with_own } else { conditions };
                        self.name(source, format!("{path}::{name}"), target, conditions);
                    }
                    _ => {}
                },
            }
        }
    }

    fn import(
        &mut self,
        source: &Source,
        module: &str,
        path: &str,
        conditions: &[Attribute],
        import: &Import,
    ) {
        let target = resolved(source, module, &import.path);
        match (&import.name, target) {
            (Some(name), target) => {
                self.name(source, format!("{path}::{name}"), target, conditions);
            }
            (None, Target::Module(inner)) => self.module(source, &inner, path, conditions),
            (None, target) => self.name(source, format!("{path}::*"), target, conditions),
        }
    }

    fn name(&mut self, source: &Source, path: String, target: Target, conditions: &[Attribute]) {
        match &target {
            Target::Module(inner) => self.module(source, inner, &path, conditions),
            Target::Item(item) => _ = self.definitions.insert(item.clone()),
            Target::Foreign(_) => {}
        }
        let targets = self.names.entry(path).or_default();
        if !targets.iter().any(|(other, _)| *other == target) {
            targets.push((target, conditions.to_vec()));
        }
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn local(item: &Item, path: String) -> Target {
    if matches!(item, Item::Mod(_)) { Target::Module(path) } else { Target::Item(path) }
}

/// Resolves a path in a module.
pub(crate) fn resolved(source: &Source, module: &str, path: &[String]) -> Target {
    resolved_within(source, module, path, 0)
}

fn resolved_within(source: &Source, module: &str, path: &[String], depth: usize) -> Target {
    let foreign = || Target::Foreign(path.join("::"));
    // The limit ends cycles of glob imports.
    let Some((first, rest)) = path.split_first().filter(|_| depth < 16) else { return foreign() };
    let parent = || module.rsplit_once("::").map_or("", |(parent, _)| parent).to_owned();
    let mut target = match first.as_str() {
        "crate" => Target::Module(source.root_of(module).to_owned()),
        "self" => Target::Module(module.to_owned()),
        "super" => Target::Module(parent()),
        name => match (found(source, module, name, depth), source.runtime(name)) {
            (Some(target), _) => target,
            (None, Some(runtime)) => Target::Module(runtime.to_owned()),
            (None, None) => return foreign(),
        },
    };
    for part in rest {
        target = match target {
            Target::Module(inner) if part == "super" => {
                Target::Module(inner.rsplit_once("::").map_or("", |(parent, _)| parent).to_owned())
            }
            Target::Module(inner) => match found(source, &inner, part, depth) {
                Some(target) => target,
                None => return foreign(),
            },
            Target::Foreign(outer) => Target::Foreign(format!("{outer}::{part}")),
            // An associated item.
            Target::Item(_) => return foreign(),
        };
    }
    target
}

/// Resolves a name in a module: first definitions, then imports by name, then glob imports.
fn found(source: &Source, module: &str, name: &str, depth: usize) -> Option<Target> {
    let items = source.items(module);
    let defined = items.iter().find_map(|one| match definition(&one.item) {
        Some((ident, _)) if ident == name => Some(local(&one.item, within(module, name))),
        _ => None,
    });
    let uses = || {
        items.iter().flat_map(|one| match &one.item {
            Item::Use(one) => imports(&one.tree),
            _ => Vec::new(),
        })
    };
    defined
        .or_else(|| {
            let import = uses().find(|import| import.name.as_deref() == Some(name))?;
            // `use bytes;` would resolve to itself.
            if import.path == [name] {
                return Some(Target::Foreign(name.to_owned()));
            }
            Some(resolved_within(source, module, &import.path, depth + 1))
        })
        .or_else(|| {
            uses().filter(|import| import.name.is_none()).find_map(|glob| {
                match resolved_within(source, module, &glob.path, depth + 1) {
                    Target::Module(inner) if depth < 16 => found(source, &inner, name, depth + 1),
                    _ => None,
                }
            })
        })
}
