//! Erases the rows that belong to an erased record of another table.

use ::postgres::types::Type;

use crate::engine::known::State;
use crate::error::Error;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::rows::get;
use crate::store::postgres::table::{Table, quoted};

/// The rows to be erased: those with a text in a column.
pub(crate) struct Rows {
    pub(crate) table: String,
    pub(crate) column: String,
    pub(crate) text: String,
    pub(crate) kept: Vec<String>,
    pub(crate) state: State,
    pub(crate) at: i64,
}

/// Erases the present and missing rows, and counts them out. Returns their identities.
pub(crate) fn erase_where(
    session: &mut Session,
    schema: &str,
    table: &Table,
    rows: &Rows,
) -> Result<Vec<String>, Error> {
    let Rows { table: name, column, text, kept, state, at } = rows;
    let (qualified, field) = (format!("{schema}.{}", quoted(name)), quoted(column));
    let index = quoted(&format!("mirror_index_{name}_{column}"));
    session.batch(&format!("CREATE INDEX IF NOT EXISTS {index} ON {qualified} ({field})"))?;
    let select = format!(
        "SELECT mirror_key, {}::text, mirror_state = 'missing' FROM {qualified} WHERE {field} = $1 \
         AND mirror_state IN ('present', 'missing')",
        quoted(&table.shape.identity()?.name)
    );
    let (mut keys, mut ids, mut counts) = (Vec::new(), Vec::new(), [0_i64; 2]);
    for row in &session.query(&select, &[(text, Type::TEXT)])? {
        keys.push(get::<i64>(row, 0)?);
        ids.push(get(row, 1)?);
        let [present, missing] = &mut counts;
        *(if get(row, 2)? { missing } else { present }) += 1;
    }
    if keys.is_empty() {
        return Ok(ids);
    }
    let at = clamped(*at);
    let parameters: [Parameter<'_>; 3] =
        [(&keys, Type::INT8_ARRAY), (&state.as_str(), Type::TEXT), (&at, Type::INT8)];
    session.execute(&table.erase, &parameters)?;
    let identity = &table.shape.identity()?.name;
    let emptied = table.shape.columns.iter().map(|column| &column.name);
    let emptied = emptied.filter(|one| *one != identity && !kept.contains(one));
    let emptied: Vec<String> = emptied.map(|one| format!("{} = NULL", quoted(one))).collect();
    if !emptied.is_empty() {
        let empty =
            format!("UPDATE {qualified} SET {} WHERE mirror_key = ANY($1)", emptied.join(", "));
        session.execute(&empty, &[(&keys, Type::INT8_ARRAY)])?;
    }
    let update = format!(
        "UPDATE {schema}.mirror_scope SET present = present - $2, missing = missing - $3 WHERE table_name = $1"
    );
    let [present, missing] = counts;
    let parameters: [Parameter<'_>; 3] =
        [(name, Type::TEXT), (&present, Type::INT8), (&missing, Type::INT8)];
    session.execute(&update, &parameters)?;
    Ok(ids)
}
