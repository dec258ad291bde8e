//! The table of a recovery: its columns, and the identities and records of placements.

use methodical_model::{Column, ColumnKind, Table};

use crate::error::{Error, ErrorKind};
use crate::fields::text::quoted;
use crate::recovery::rota;

/// The aim of a recovery: a table with one row for each member of each group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) table: &'static Table,
    pub(crate) members: &'static Table,
    pub(crate) groups: &'static Table,
    /// The name of the value.
    pub(crate) value: &'static str,
    pub(crate) known_values: &'static [&'static str],
}

impl Target {
    /// Returns the name of the scope.
    pub(crate) fn scope(&self) -> String {
        format!("recovery/{}", self.table.name())
    }

    /// Returns the name of the note with the rota.
    pub(crate) fn rota(&self) -> String {
        rota::note(self.table.name())
    }

    /// Returns the names of the columns: identity, group, member, and value.
    pub(crate) fn columns(&self) -> Result<[&'static str; 4], Error> {
        let names = self.table.columns().iter().map(Column::path);
        let names: Vec<&str> = names.filter_map(|path| path.first().copied()).collect();
        <[&str; 4]>::try_from(names).map_err(|names| {
            let text = format!(
                "cannot recover into `{}`: it has {} columns, and a recovered table has 4",
                self.table.name(),
                names.len()
            );
            Error::new(ErrorKind::Table, text)
        })
    }

    /// Returns the record of a placement.
    pub(crate) fn record(
        &self,
        group: &str,
        member: &str,
        value: Option<&str>,
    ) -> Result<String, Error> {
        let [id, group_column, member_column, value_column] = self.columns()?;
        let kind = |name: &str| {
            let column = self.table.columns().iter().find(|column| column.path() == [name]);
            column.map(Column::kind)
        };
        let text = |name: &str, text: &str| match kind(name) {
            Some(ColumnKind::Integer) => text.to_owned(),
            _ => quoted(text),
        };
        Ok(format!(
            "{{{}:{},{}:{},{}:{},{}:{}}}",
            quoted(id),
            quoted(&placement(group, member)),
            quoted(group_column),
            text(group_column, group),
            quoted(member_column),
            text(member_column, member),
            quoted(value_column),
            value.map_or_else(|| "null".to_owned(), quoted)
        ))
    }
}

/// Returns the identity of a placement: group and member, joined by `/`. A `/` in the group is `%2F`.
pub(crate) fn placement(group: &str, member: &str) -> String {
    format!("{}/{member}", escaped(group))
}

/// Returns a group as it begins the identity of a placement.
pub(crate) fn escaped(group: &str) -> String {
    group.replace('%', "%25").replace('/', "%2F")
}

/// Returns the group and the member of a placement from its identity.
pub(crate) fn parts(id: &str) -> (String, &str) {
    let (group, member) = id.split_once('/').unwrap_or(("", id));
    (group.replace("%2F", "/").replace("%25", "%"), member)
}

#[cfg(test)]
mod tests {
    use methodical_model::{Column, Table};

    use super::{Target, escaped, parts, placement};
    use crate::error::ErrorKind;

    static PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"])]);

    fn target(table: &'static Table) -> Target {
        Target { table, members: &PHOTO, groups: &PHOTO, value: "mark", known_values: &[] }
    }

    #[test]
    fn a_table_without_four_columns_is_refused() {
        let error = target(&PHOTO).columns().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Table);
        assert_eq!(
            error.to_string(),
            "cannot recover into `photo`: it has 1 columns, and a recovered table has 4"
        );
    }

    #[test]
    fn a_placement_has_integers_and_texts_as_its_table_has_them() {
        static PLACED: Table = Table::new(
            "placed",
            "id",
            &[
                Column::text(&["id"]),
                Column::integer(&["album"]),
                Column::text(&["photo"]),
                Column::text(&["mark"]),
            ],
        );
        let record = |value| target(&PLACED).record("7", "a\"b", value).unwrap();
        let known = r#"{"id":"7/a\"b","album":7,"photo":"a\"b","mark":"New"}"#;
        assert_eq!(record(Some("New")), known);
        let unknown = r#"{"id":"7/a\"b","album":7,"photo":"a\"b","mark":null}"#;
        assert_eq!(record(None), unknown);
    }

    #[test]
    fn no_two_placements_have_the_same_identity() {
        assert_eq!(placement("1", "7"), "1/7");
        assert_eq!(placement("a/b", "c"), "a%2Fb/c");
        assert_eq!(placement("a", "b/c"), "a/b/c");
        assert_eq!(escaped("a%2Fb"), "a%252Fb");
        for (group, member) in [("1", "7"), ("a/b", "c/d"), ("a%2Fb%", "%25")] {
            assert_eq!(parts(&placement(group, member)), (group.to_owned(), member));
        }
    }
}
