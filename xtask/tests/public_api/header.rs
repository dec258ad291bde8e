//! Prints public items as a header: signatures without bodies, and the implemented traits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use syn::punctuated::Punctuated;
use syn::{
    Attribute, Block, Fields, ImplItem, Item, ItemImpl, Meta, TraitItem, Type, Visibility,
    parse_quote,
};

use crate::paths;
use crate::public::{Public, Target, resolved};
use crate::source::{Found, Source, definition, is_condition};

pub(crate) struct Header {
    pub(crate) text: String,
    /// The other crates in signatures, without the standard library.
    pub(crate) crates: BTreeSet<String>,
}

pub(crate) fn of(source: &Source, public: &Public) -> Header {
    let mut crates = BTreeSet::new();
    let mut impls = impls(source, public, &mut crates);
    let mut text = String::new();
    let mut shown: BTreeMap<&str, &str> = BTreeMap::new();
    let names = public.names.iter();
    for (path, (target, conditions)) in
        names.flat_map(|(path, targets)| targets.iter().map(move |one| (path, one)))
    {
        writeln!(text, "\n// {path}").expect("memory");
        match target {
            Target::Module(_) => {
                let name = path.rsplit("::").next().unwrap_or_default();
                writeln!(text, "{}pub mod {name};", printed(conditions)).expect("memory");
            }
            Target::Foreign(outer) => {
                writeln!(text, "{}pub use {outer};", printed(conditions)).expect("memory");
            }
            Target::Item(item) => {
                if let Some(first) = shown.insert(item, path) {
                    writeln!(text, "{}pub use {first};", printed(conditions)).expect("memory");
                    continue;
                }
                let mut items = signatures(source, public, item, conditions, &mut crates);
                items.extend(impls.remove(item).unwrap_or_default());
                text.push_str(&unparsed(items));
            }
        }
    }
    if let Some(others) = impls.remove("") {
        text.push_str("\n// Implementations for types of other crates\n");
        text.push_str(&unparsed(others));
    }
    Header { text, crates }
}

fn unparsed(items: Vec<Item>) -> String {
    prettyplease::unparse(&syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items })
}

fn printed(conditions: &[Attribute]) -> String {
    let item: Item = parse_quote!(#(#conditions)* mod none;);
    unparsed(vec![item]).replace("mod none;\n", "")
}

/// Returns the item without its private parts. There may be several, each with its own condition.
fn signatures(
    source: &Source,
    public: &Public,
    path: &str,
    conditions: &[Attribute],
    crates: &mut BTreeSet<String>,
) -> Vec<Item> {
    let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
    let items = source.items(module).iter().map(|found| &found.item);
    let items = items.filter(|item| definition(item).is_some_and(|(ident, _)| ident == name));
    let signatures = items.cloned().map(|mut item| {
        strip(&mut item, conditions);
        paths::qualify(source, public, module, &mut item, crates);
        item
    });
    signatures.collect()
}

fn strip(item: &mut Item, conditions: &[Attribute]) {
    match item {
        Item::Const(item) => with(&mut item.attrs, conditions),
        Item::Enum(item) => {
            with(&mut item.attrs, conditions);
            for variant in &mut item.variants {
                with(&mut variant.attrs, &[]);
                variant.fields.iter_mut().for_each(|field| with(&mut field.attrs, &[]));
            }
        }
        Item::Fn(item) => {
            with(&mut item.attrs, conditions);
            *item.block = nothing();
        }
        Item::Static(item) => with(&mut item.attrs, conditions),
        Item::Struct(item) => {
            with(&mut item.attrs, conditions);
            fields(&mut item.fields, &mut item.attrs);
        }
        Item::Trait(item) => {
            with(&mut item.attrs, conditions);
            for item in &mut item.items {
                match item {
                    TraitItem::Const(item) => with(&mut item.attrs, &[]),
                    TraitItem::Fn(item) => {
                        with(&mut item.attrs, &[]);
                        item.default = item.default.take().map(|_| nothing());
                    }
                    TraitItem::Type(item) => with(&mut item.attrs, &[]),
                    _ => panic!("an item of a trait that this test does not support"),
                }
            }
        }
        Item::Type(item) => with(&mut item.attrs, conditions),
        _ => panic!("an item that this test does not support"),
    }
}

/// Keeps the attributes that affect callers, and puts the conditions first.
fn with(attributes: &mut Vec<Attribute>, conditions: &[Attribute]) {
    const KEPT: [&str; 5] = ["cfg", "deprecated", "derive", "must_use", "non_exhaustive"];
    attributes.retain(|one| {
        let is_kept = KEPT.iter().any(|name| one.path().is_ident(name));
        is_kept || (one.path().is_ident("doc") && matches!(one.meta, Meta::List(_)))
    });
    let new: Vec<_> = conditions.iter().filter(|one| !attributes.contains(one)).cloned().collect();
    attributes.splice(0..0, new);
    let all: Vec<String> = attributes.iter().filter_map(condition).collect();
    // `any(feature = "a", feature = "b")` is redundant next to `feature = "a"`.
    attributes.retain(|one| {
        let is_weaker = |one: &str| {
            one.starts_with("any") && all.iter().any(|other| other != one && one.contains(other))
        };
        !condition(one).is_some_and(|one| is_weaker(&one))
    });
}

fn condition(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::List(list) if is_condition(attribute) => Some(list.tokens.to_string()),
        _ => None,
    }
}

/// Keeps the public fields, and adds a note if there are private ones.
fn fields(fields: &mut Fields, attributes: &mut Vec<Attribute>) {
    let is_private = |visibility: &Visibility| !matches!(visibility, Visibility::Public(_));
    fields.iter_mut().for_each(|field| with(&mut field.attrs, &[]));
    match fields {
        Fields::Named(named) => {
            let all = named.named.len();
            let public = std::mem::take(&mut named.named)
                .into_iter()
                .filter(|field| !is_private(&field.vis));
            named.named = public.collect::<Punctuated<_, _>>();
            if named.named.len() < all {
                attributes.insert(0, parse_quote!(#[doc = " Has private fields."]));
            }
        }
        Fields::Unnamed(unnamed) => {
            for field in unnamed.unnamed.iter_mut().filter(|field| is_private(&field.vis)) {
                field.vis = Visibility::Inherited;
                field.ty = parse_quote!(_);
            }
        }
        Fields::Unit => {}
    }
}

/// Returns the implementations by the path of their type, which is empty for types of other crates.
fn impls(
    source: &Source,
    public: &Public,
    crates: &mut BTreeSet<String>,
) -> BTreeMap<String, Vec<Item>> {
    let mut impls: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for (module, items) in &source.modules {
        for Found { item, conditions } in items {
            let Item::Impl(one) = item else { continue };
            // A macro implements a trait for tuples of every length.
            if matches!(*one.self_ty, Type::Tuple(_)) {
                continue;
            }
            let target = path_of(&one.self_ty).map(|path| resolved(source, module, &path));
            let owner = match target {
                Some(Target::Item(path)) => path,
                _ => String::new(),
            };
            let is_seen = owner.is_empty() || public.definitions.contains(&owner);
            if is_seen && let Some(one) = visible(source, public, module, one, conditions) {
                let mut one = Item::Impl(one);
                paths::qualify(source, public, module, &mut one, crates);
                impls.entry(owner).or_default().push(one);
            }
        }
    }
    for list in impls.values_mut() {
        // Methods first, then traits by name, so that moving code does not change the snapshot.
        list.sort_by_cached_key(|item| {
            let Item::Impl(one) = item else { return (false, String::new()) };
            let mut plain = one.clone();
            (plain.attrs, plain.generics) = (Vec::new(), syn::Generics::default());
            (one.trait_.is_some(), unparsed(vec![Item::Impl(plain)]))
        });
    }
    impls
}

/// Returns the public part of an `impl`; `None` if all of it is private.
fn visible(
    source: &Source,
    public: &Public,
    module: &str,
    one: &ItemImpl,
    conditions: &[Attribute],
) -> Option<ItemImpl> {
    let mut one = one.clone();
    if let Some((path, _)) = &one.trait_ {
        let path: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if let Target::Item(path) = resolved(source, module, &path)
            && !public.definitions.contains(&path)
        {
            return None;
        }
        one.items.retain(|item| matches!(item, ImplItem::Const(_) | ImplItem::Type(_)));
    } else {
        one.items.retain(|item| match item {
            ImplItem::Const(item) => matches!(item.vis, Visibility::Public(_)),
            ImplItem::Fn(item) => matches!(item.vis, Visibility::Public(_)),
            _ => false,
        });
        if one.items.is_empty() {
            return None;
        }
    }
    let conditions: Vec<_> = conditions.iter().filter(|one| is_condition(one)).cloned().collect();
    with(&mut one.attrs, &conditions);
    for item in &mut one.items {
        match item {
            ImplItem::Const(item) => with(&mut item.attrs, &[]),
            ImplItem::Fn(item) => {
                with(&mut item.attrs, &[]);
                item.block = nothing();
            }
            ImplItem::Type(item) => with(&mut item.attrs, &[]),
            _ => {}
        }
    }
    Some(one)
}

/// Returns the path of a type or of the type that it references.
fn path_of(ty: &Type) -> Option<Vec<String>> {
    match ty {
        Type::Path(ty) => {
            Some(ty.path.segments.iter().map(|part| part.ident.to_string()).collect())
        }
        Type::Reference(ty) => path_of(&ty.elem),
        _ => None,
    }
}

fn nothing() -> Block {
    parse_quote!({})
}
