//! Writes names in signatures in one form, regardless of the imports of their file.

use std::collections::BTreeSet;

use syn::visit_mut::{self, VisitMut};
use syn::{Item, Path};

use crate::public::{Public, Target, resolved};
use crate::source::Source;

/// Writes types of this crate as their public path, types of the standard library as their name, and
/// all others as their full path.
///
/// Adds the other crates in these paths to `crates`, without the standard library.
pub(crate) fn qualify(
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
                // A path that begins with a capital starts at a type parameter, and a single segment is
                // a primitive type.
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
        // A path with arguments before its last part, such as `T::Ref<'_>::Item`, stays as it is.
        let are_plain = path.segments.iter().rev().skip(1).all(|part| part.arguments.is_none());
        let Ok(mut new) = syn::parse_str::<Path>(&name) else { return };
        if let (true, Some(last), Some(arguments)) = (are_plain, new.segments.last_mut(), arguments)
        {
            last.arguments = arguments;
            *path = new;
        }
    }
}

/// Shortens paths of the standard library: `fmt::Error` and `io::Result` keep their module, all
/// others only their name.
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
