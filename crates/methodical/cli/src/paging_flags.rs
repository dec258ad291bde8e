//! The flags of a list in pages.

use clap::Args;

/// The flag of a command that lists the records of several pages: `--one-page`.
///
/// Generated commands contain them, and pass them to [`Session::list_all`](crate::Session::list_all). Without it, the
/// command prints the records of all pages, or as many as `--limit` says.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct PagingFlags {
    /// Print one page, and request no page after it.
    #[arg(id = "frame:one-page", long = "one-page")]
    pub(crate) one_page: bool,
}
