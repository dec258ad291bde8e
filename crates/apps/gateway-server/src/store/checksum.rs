//! Checksums of stored rows: CRC-32 (IEEE 802.3), which notices every flip of up to three bits in a record.
//!
//! A checksum covers the kind, the account and the id of its row, so a row that is read in the place of another one is
//! noticed too. The column is empty in rows that a former release wrote; such rows are not verified.

use crc32fast::Hasher;

use crate::store::snapshot::AccountId;
use crate::token::TokenDigest;

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Candidate,
    Vacancy,
    Credits,
}

/// Returns the checksum of a record. The id of a credit balance is 0.
pub(super) fn of_record(row: Row, account: AccountId, id: i64, record: &[u8]) -> i64 {
    Records::of(row, account).checksum(id, record)
}

/// The checksums of the records of one kind and account, with what they have in common computed once.
#[derive(Clone, Debug)]
pub(super) struct Records(Hasher);

impl Records {
    pub(super) fn of(row: Row, account: AccountId) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(&[row as u8]);
        hasher.update(&account.0.to_be_bytes());
        Self(hasher)
    }

    /// Returns the checksum of a record.
    pub(super) fn checksum(&self, id: i64, record: &[u8]) -> i64 {
        let mut hasher = self.0.clone();
        hasher.update(&id.to_be_bytes());
        hasher.update(record);
        hasher.finalize().into()
    }
}

/// Returns the checksum of a token. It does not cover the revocation, which a former release stores without changing
/// the checksum.
pub(super) fn of_token(
    digest: &TokenDigest,
    account: AccountId,
    created_at: i64,
    expires_at: Option<i64>,
) -> i64 {
    let mut hasher = Hasher::new();
    hasher.update(&digest.0);
    for number in [account.0, created_at, expires_at.unwrap_or(i64::MAX)] {
        hasher.update(&number.to_be_bytes());
    }
    hasher.finalize().into()
}

/// Returns what a row adds to the sum of its list: its checksum, or a number derived from its id if it has none.
pub(super) fn weight(id: i64, checksum: Option<i64>) -> i64 {
    checksum.unwrap_or_else(|| id_weight(id))
}

/// Returns what a row adds to the sum of a filtered list. The modulus is a prime number, so every bit of the id counts,
/// and small, so the sum does not overflow.
pub(super) fn id_weight(id: i64) -> i64 {
    id % 2_147_483_647
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_covers_every_bit_of_the_row() {
        let (account, id, record) = (AccountId(3), 77, b"{\"id\":\"77\",\"name\":\"A\"}");
        let whole = of_record(Row::Candidate, account, id, record);
        assert_ne!(whole, of_record(Row::Vacancy, account, id, record));
        for bit in 0..64 {
            assert_ne!(whole, of_record(Row::Candidate, AccountId(3 ^ (1 << bit)), id, record));
            assert_ne!(whole, of_record(Row::Candidate, account, id ^ (1 << bit), record));
        }
        for bit in 0..record.len() * 8 {
            let mut other = *record;
            other[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(whole, of_record(Row::Candidate, account, id, &other), "bit {bit}");
        }
    }

    #[test]
    fn the_weight_of_an_id_covers_every_bit() {
        for id in [0, 1, 77, 1 << 40, i64::MAX] {
            for bit in 0..63 {
                assert_ne!(id_weight(id), id_weight(id ^ (1 << bit)), "{id}, bit {bit}");
            }
        }
    }
}
