//! The forms in which records are printed, and the way there.

use crate::failure::Failure;
use crate::output::csv::{Csv, Dialect};
use crate::output::flags::OutputFlags;
use crate::output::form::Form;
use crate::output::json::{Json, Ndjson};
use crate::output::record::Path;
use crate::output::select::Fields;
use crate::output::table::Table;
use crate::screen::{View, variable};

pub(crate) mod csv;
pub(crate) mod destination;

pub(crate) mod flags;
pub(crate) mod form;
mod format;
pub(crate) mod json;
mod meanwhile;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod raw;
pub(crate) mod record;
pub(crate) mod select;
pub(crate) mod separator;
mod sort;
pub(crate) mod table;

pub(crate) use crate::output::format::Format;

/// What is known of the records that will be printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'a> {
    /// The columns of a table and of CSV, if no others are asked for.
    pub(crate) columns: Fields<'a>,
    /// Every field that is known.
    pub(crate) fields: Fields<'a>,
    /// Whether it is one object and no list.
    pub(crate) single: bool,
}

/// Makes the form that was asked for.
fn form(
    format: Format,
    single: bool,
    columns: Vec<Path>,
    flags: &OutputFlags,
    view: View,
) -> Result<Box<dyn Form>, Failure> {
    let terminal = view.is_terminal();
    Ok(match format {
        Format::Table => Box::new(Table::new(columns, view)),
        Format::Json => Box::new(Json::new(single, terminal)),
        Format::Ndjson => Box::new(Ndjson { terminal }),
        Format::Csv => Box::new(Csv::new(dialect(flags), columns, terminal)),
        Format::Raw => {
            return Err(Failure::usage(
                "-o raw prints what a service sends; this command asks none",
            ));
        }
    })
}

fn dialect(flags: &OutputFlags) -> Dialect {
    let separator = flags.separator.unwrap_or_else(|| {
        let locale = ["LC_ALL", "LC_NUMERIC", "LANG"].into_iter().find_map(variable);
        if flags.excel { separator::of_locale(&locale.unwrap_or_default()) } else { ',' }
    });
    Dialect { guard: !flags.csv_raw, mark: flags.excel, separator }
}
