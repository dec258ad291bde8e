//! Reads parts of a mirror for a screen: pages in an order, counts of groups, and the latest changes.

pub(crate) mod cell;
pub(crate) mod page;
mod pages;
pub(crate) mod paging;
// `cfg(test)` on a line of its own: it tells the lints that this helper may unwrap.
#[cfg(test)]
pub(crate) mod views;
