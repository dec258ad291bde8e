//! A build without support for PostgreSQL.

use methodical_mirror::{Mirror, Source};

use crate::failure::Failure;

/// Refuses the mirror.
pub(crate) fn open(_url: &str, _source: Option<&Source>) -> Result<Mirror, Failure> {
    Err(Failure::usage("cannot use PostgreSQL: this build has no support for it")
        .hint("build the program with the feature `mirror-postgres`, or use a file"))
}
