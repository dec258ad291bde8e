//! The records as tables of a database, and the lists that a mirror copies into them.
//!
//! Each field is a column, and so is each field of a nested record: `portal.name` becomes `portal_name`. Lists and maps
//! are JSON. `methodical-mirror` uses these constants; [`Mirrored`] passes all of them to a visitor, with their
//! queries.
//!
//! # Examples
//!
//! ```
//! use gateway_model::tables::{CANDIDATE, CANDIDATE_VACANCY, Table};
//!
//! fn columns(table: &Table) -> Vec<String> {
//!     table.columns().iter().map(|column| column.path().join("_")).collect()
//! }
//!
//! assert!(columns(&CANDIDATE).contains(&"portal_name".to_owned()));
//! // No record contains a status, so a mirror recovers it with the filters of the list.
//! assert_eq!(columns(&CANDIDATE_VACANCY), ["id", "vacancy_id", "candidate_id", "status"]);
//! ```

pub use crate::generated::tables::*;
