//! The flag of a list with fields beside it.

use clap::Args;

/// The flag of a command that lists records with fields beside them: `--beside`.
///
/// Generated commands contain it. If it is set, they call [`Session::beside`](crate::Session::beside).
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct BesideFlag {
    /// Print the fields beside the list, such as a total, and not its records.
    #[arg(id = "frame:beside", long = "beside")]
    beside: bool,
}

impl BesideFlag {
    /// Returns whether the flag is set.
    pub fn is_set(self) -> bool {
        self.beside
    }
}
