//! The flags of a list in pages.

use clap::Args;

/// The flags of a command that lists the records of several pages: `--max-records` and `--one-page`.
///
/// Generated commands contain them, and pass them to [`Session::list_all`](crate::Session::list_all). Without them, the
/// command prints the records of all pages.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct PagingFlags {
    /// Stop after N records, and request no page after them. Default: the records of all pages.
    #[arg(id = "frame:max-records", long = "max-records", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_records: Option<u64>,
    /// Print one page, and request no page after it.
    #[arg(id = "frame:one-page", long = "one-page", conflicts_with = "frame:max-records")]
    pub(crate) one_page: bool,
}
