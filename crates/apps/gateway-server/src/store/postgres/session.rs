//! The open transaction of an import or a deletion.

use ::postgres::Transaction;

use crate::error::Error;
use crate::store::balance::Balance;
use crate::store::dictionary::Dictionary;
use crate::store::postgres::link::{Parameter, failure, get, parameter};
use crate::store::session::Session;
use crate::store::sql;

/// The open transaction of an import or a deletion.
pub(super) struct Open<'t> {
    pub(super) transaction: Transaction<'t>,
    pub(super) account: i64,
}

impl Open<'_> {
    /// Sets the balance and returns whether it changed.
    pub(super) fn set_credits(&mut self, balance: &Balance) -> Result<bool, Error> {
        let Some(record) = balance.given() else { return Ok(false) };
        let parameters: [Parameter<'_>; 2] = [&record, &self.account];
        let changed = self.transaction.execute(sql::SET_CREDITS, &parameters).map_err(failed)?;
        Ok(changed > 0)
    }
}

impl Dictionary for Open<'_> {
    fn find(&mut self, name: &str) -> Result<Option<i64>, Error> {
        let parameters: [Parameter<'_>; 2] = [&self.account, &name];
        let row = self.transaction.query_opt(STATUS_KEY, &parameters).map_err(failed)?;
        row.map(|row| get(&row, 0)).transpose()
    }

    fn add(&mut self, name: &str) -> Result<i64, Error> {
        let parameters: [Parameter<'_>; 2] = [&self.account, &name];
        let row = self.transaction.query_one(CREATE_STATUS, &parameters).map_err(failed)?;
        get(&row, 0)
    }
}

impl Session for Open<'_> {
    const NOW: &'static str = NOW;

    fn execute(&mut self, sql: &'static str, parameters: &[i64]) -> Result<u64, Error> {
        let parameters: Vec<_> = parameters.iter().map(parameter).collect();
        self.transaction.execute(sql, &parameters).map_err(failed)
    }

    fn first<const COLUMNS: usize>(
        &mut self,
        sql: &'static str,
        parameters: &[i64],
    ) -> Result<Option<[i64; COLUMNS]>, Error> {
        let parameters: Vec<_> = parameters.iter().map(parameter).collect();
        let rows = self.transaction.query(sql, &parameters).map_err(failed)?;
        let Some(row) = rows.first() else { return Ok(None) };
        let mut columns = [0; COLUMNS];
        for (index, column) in columns.iter_mut().enumerate() {
            *column = get(row, index)?;
        }
        Ok(Some(columns))
    }
}

pub(super) fn failed(error: ::postgres::Error) -> Error {
    failure("cannot change the data", error)
}

/// The clock of the database, which all servers and imports share. `now()` would return the start of the transaction.
const NOW: &str = "SELECT extract(epoch FROM clock_timestamp())::bigint";

const STATUS_KEY: &str = "SELECT key FROM status WHERE account_id = $1 AND name = $2";

const CREATE_STATUS: &str = "\
    INSERT INTO status(account_id, key, name) \
    SELECT $1, coalesce(max(key), 0) + 1, $2 FROM status WHERE account_id = $1 RETURNING key";
