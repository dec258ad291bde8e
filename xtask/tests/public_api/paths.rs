//! Names in signatures as a reader knows them, however the file that holds them imports them.

use std::collections::BTreeSet;

use syn::visit_mut::{self, VisitMut};
use syn::{Item, Path};

use crate::public::{Public, Target, resolved};
use crate::source::Source;

/// Writes types of this crate by their public path, those of the standard library by their name, and
/// all others by their full path.
///
/// `crates` takes the other crates that it names, the standard library aside.
pub(crate) fn settle(
    source: &Source,
    public: &Public,
    module: &str,
    item: &mut Item,
    crates: &mut BTreeSet<String>,
) {
    Paths { source, public, module, crates }.visit_item_mut(item);
}

struct Paths<'a> {
    source: &'a Source,
    public: &'a Public,
    module: &'a str,
    crates: &'a mut BTreeSet<String>,
}

impl VisitMut for Paths<'_> {
    fn visit_attribute_mut(&mut self, _: &mut syn::Attribute) {}

    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        let segments: Vec<String> =
            path.segments.iter().map(|part| part.ident.to_string()).collect();
        let name = match resolved(self.source, self.module, &segments) {
            Target::Item(item) => self.public.path_of(&item),
            Target::Foreign(outer) => {
                // What begins with a capital is a type parameter, and what stands alone a primitive.
                if let Some((root, _)) = outer.split_once("::")
                    && root.starts_with(|c: char| c.is_ascii_lowercase())
                    && !STANDARD.contains(&root)
                {
                    self.crates.insert(root.to_owned());
                }
                short(&outer)
            }
            Target::Module(_) => return,
        };
        let arguments = path.segments.last().map(|part| part.arguments.clone());
        // Arguments before the last part, as in `T::Ref<'_>::Item`, have no other spelling.
        let are_plain = path.segments.iter().rev().skip(1).all(|part| part.arguments.is_none());
        let Ok(mut new) = syn::parse_str::<Path>(&name) else { return };
        if let (true, Some(last), Some(arguments)) = (are_plain, new.segments.last_mut(), arguments)
        {
            last.arguments = arguments;
            *path = new;
        }
    }
}

/// `fmt::Error` and `io::Result` are known by two names, all else of the standard library by one.
fn short(path: &str) -> String {
    let parts: Vec<&str> = path.split("::").collect();
    let is_standard = parts.first().is_some_and(|root| STANDARD.contains(root));
    match parts.as_slice() {
        [_, .., module, name @ ("Error" | "Result")] if is_standard => format!("{module}::{name}"),
        [_, .., name] if is_standard => (*name).to_owned(),
        _ => path.to_owned(),
    }
}

const STANDARD: [&str; 3] = ["alloc", "core", "std"];
