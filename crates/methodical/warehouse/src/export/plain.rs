//! Exports a mirror as plain Parquet files, without a log.

use methodical_mirror::Mirror;

use crate::delta::state::State;
use crate::error::{Error, ErrorKind};
use crate::export::Export;
use crate::export::contents::Contents;
use crate::export::draft::{Draft, PART};
use crate::export::report::TableExport;
use crate::place::Place;
use crate::unfinished::is_unfinished;

impl Export {
    /// Exports each table of the mirror as Parquet files into a folder of the place, all from one state of the mirror. A folder has a file
    /// for each range of rows, whose name begins with `part-`.
    ///
    /// Each file is replaced atomically, but not all of them together: a reader that runs at the same time may see files of two
    /// exports. Every file is written in each export, and those of ranges without rows are deleted. Run one export at a time.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Conflict`] if another export removed an unfinished file.
    /// - [`ErrorKind::Foreign`] if the place belongs to another mirror, or a folder has a Delta Lake table.
    /// - The others if the mirror or the place fails. Files then have their former or their new contents.
    pub fn run_plain(&self, mirror: &Mirror, place: &Place) -> Result<Vec<TableExport>, Error> {
        let mut snapshot = mirror.snapshot()?;
        self.claim(&snapshot.mirror_id(), place)?;
        let mut exports = Vec::new();
        for contents in self.contents(Some(&mut snapshot))? {
            let table = place.folder(contents.name());
            if !table.list(crate::delta::log::LOG, "")?.is_empty() {
                let text = format!(
                    "cannot export to {table}: it is a Delta Lake table; use another folder"
                );
                return Err(Error::new(ErrorKind::Foreign, text));
            }
            let mut draft = Draft::plain(table.clone(), self.rows_per_file);
            let lost = contents.write(&mut snapshot, &State::default(), false, &mut draft)?;
            exports.push(finish(&contents, &table, draft, lost)?);
        }
        Ok(exports)
    }

    /// Notes which mirror the files of a place belong to.
    fn claim(&self, mirror: &str, place: &Place) -> Result<(), Error> {
        match place.read(OWNER)? {
            Some(owner) if owner != mirror && !self.replaces => {
                let text = format!(
                    "cannot export to {place}: its files belong to another mirror; use another folder, or replace them"
                );
                Err(Error::new(ErrorKind::Foreign, text))
            }
            Some(owner) if owner == mirror => Ok(()),
            _ => place.write(OWNER, mirror.to_owned().into()),
        }
    }
}

/// Deletes the files that the draft did not replace.
fn finish(
    contents: &Contents,
    table: &Place,
    mut draft: Draft,
    lost: u64,
) -> Result<TableExport, Error> {
    if draft.is_empty() {
        // A reader of an empty folder would not know the columns.
        let file = draft.begin(&contents.columns(), "empty")?;
        draft.add(file, &[])?;
    }
    let mut export = draft.report(contents.name(), lost);
    let (added, _) = draft.finish();
    let is_left = |name: &String| {
        let is_part = name.ends_with(".parquet") || is_unfinished(name);
        name.starts_with(PART) && is_part && added.iter().all(|add| add.path != *name)
    };
    let listed = table.list("", "")?.into_iter().map(|file| file.name);
    let left: Vec<_> = listed.filter(is_left).collect();
    table.delete(&left)?;
    export.deleted = u64::try_from(left.len()).unwrap_or(u64::MAX);
    Ok(export)
}

/// The file with the id of the mirror. Readers ignore names that begin with an underscore.
const OWNER: &str = "_mirror";
