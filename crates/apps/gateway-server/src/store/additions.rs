//! The additions to the schema: new tables, new columns that may be empty, new indexes.
//!
//! The schema version says which releases can use a database. An addition does not raise it, because releases that do not
//! know the addition ignore it: they name the columns that they write. So servers of two releases can use one database
//! while they are being replaced, and a newer release copes with rows that lack what it added. The number of the last
//! addition is in a separate table, which former releases do not read.
//!
//! A library for migrations is not used: `refinery` refuses a database with a migration that it does not know, which is
//! the case that must work here.

/// An addition, as SQL for each database. The program that opens a database first applies what is missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addition {
    /// Its place in the order, from 1.
    pub(super) number: i64,
    pub(super) sqlite: &'static str,
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "every database is a file"))]
    pub(super) postgres: &'static str,
}

/// Returns the additions after the last one that a database has, in order.
pub(super) fn after(last: i64) -> impl Iterator<Item = Addition> {
    ALL.into_iter().filter(move |addition| addition.number > last)
}

const ALL: [Addition; 2] = [
    Addition {
        number: 1,
        sqlite: include_str!("sqlite/additions/1.sql"),
        postgres: include_str!("postgres/additions/1.sql"),
    },
    Addition {
        number: 2,
        sqlite: include_str!("sqlite/additions/2.sql"),
        postgres: include_str!("postgres/additions/2.sql"),
    },
];

/// Creates the table of the numbers. Both databases understand it.
pub(super) const CREATE_TABLE: &str =
    "CREATE TABLE IF NOT EXISTS gateway_addition (number BIGINT PRIMARY KEY)";

pub(super) const LAST: &str = "SELECT coalesce(max(number), 0) FROM gateway_addition";

pub(super) const ADD: &str = "INSERT INTO gateway_addition VALUES ($1)";
