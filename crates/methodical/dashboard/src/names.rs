//! The titles and links of records that a page names.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::cells::{cell, fields};
use crate::link;
use crate::outline::title;
use crate::shared::{Problem, Shared};

/// A record by its title, with a link if the mirror has the record.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) title: String,
    pub(crate) href: Option<String>,
}

/// The titles of records by table and identity. One query for each table reads them.
#[derive(Default)]
pub(crate) struct Names(HashMap<(String, String), String>);

impl Names {
    /// Reads the titles of records, given as table and identity.
    pub(crate) fn read<'a>(
        shared: &Shared,
        wanted: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Problem> {
        let mut tables: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (table, id) in wanted {
            tables.entry(table).or_default().insert(id);
        }
        let mut names = HashMap::new();
        for (table, ids) in tables {
            let Some(table) = shared.outline.table(table) else { continue };
            let column = title(table).filter(|one| !(shared.who.masks && one.is_personal()));
            let ids: Vec<&str> = ids.into_iter().collect();
            for (id, record) in shared.mirror.records_of(table.name(), &ids)? {
                let title = column.and_then(|column| cell(&fields(&record.json), column));
                let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| id.clone());
                names.insert((table.name().to_owned(), id), title);
            }
        }
        Ok(Self(names))
    }

    /// Returns a record; one without a title by its identity.
    pub(crate) fn of(&self, table: &str, id: &str) -> Named {
        match self.0.get(&(table.to_owned(), id.to_owned())) {
            Some(title) => Named { title: title.clone(), href: Some(link::record(table, id)) },
            None => Named { title: id.to_owned(), href: None },
        }
    }
}
