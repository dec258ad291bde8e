//! The view of the present records of a table.

use crate::error::Error;
use crate::store::postgres::link::Session;
use crate::store::postgres::table::quoted;
use crate::store::view;

/// Creates the view of a table with this identity and these columns, unless it has them. Views of other programs that read it stay.
pub(crate) fn create(
    session: &mut Session,
    schema: &str,
    table: &str,
    identity: &str,
    existing: &[String],
    found: &[String],
) -> Result<(), Error> {
    let wanted = view::columns(identity, existing);
    if *found == wanted {
        return Ok(());
    }
    let columns: Vec<String> = wanted.into_iter().map(quoted).collect();
    session.batch(&format!(
        "CREATE OR REPLACE VIEW {schema}.{} AS SELECT {} FROM {schema}.{} WHERE mirror_state = 'present'",
        quoted(&view::name(table)),
        columns.join(", "),
        quoted(table)
    ))
}
