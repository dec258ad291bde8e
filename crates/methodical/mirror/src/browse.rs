//! Reads parts of a mirror for a screen: pages in an order, counts of groups, and the latest changes.

pub(crate) mod cell;
pub(crate) mod page;
mod pages;
pub(crate) mod paging;
pub(crate) mod scan;
// `cfg(test)` on a line of its own: it tells the lints that this helper may unwrap.
#[cfg(test)]
#[cfg(any(feature = "sqlite", feature = "postgres019"))]
pub(crate) mod views;
