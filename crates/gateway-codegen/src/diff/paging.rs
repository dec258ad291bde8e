//! The effect of a change of paging.

use crate::diff::change::Class;
use crate::ir::Operation;

/// Returns the effect of a change of how the pages of a list follow each other, and a description.
pub(super) fn paging(old: &Operation, new: &Operation) -> Option<(Class, String)> {
    let kind = |one: &Operation| {
        one.paging
            .as_ref()
            .map_or_else(|| "none".to_owned(), |paging| format!("`{}`", paging.by.word()))
    };
    let (was, is) = (kind(old), kind(new));
    if was != is {
        // Code that reads all pages does not compile without them.
        let class = if new.paging.is_none() { Class::Breaking } else { Class::Additive };
        return Some((class, format!("paging changed from {was} to {is}")));
    }
    (old.pages() != new.pages()).then(|| (Class::Additive, "paging changed".to_owned()))
}
