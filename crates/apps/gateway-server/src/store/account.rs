//! Accounts and tokens, as an operator sees them.

use crate::clock::UnixTime;
use crate::store::snapshot::AccountId;
use crate::token::TokenId;

/// An account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its number in the database.
    pub id: AccountId,
    /// Its name, which commands use.
    pub name: String,
    /// The number of times its data changed.
    pub revision: i64,
    /// When it was created.
    pub created_at: UnixTime,
}

/// A token without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    /// Its public name.
    pub id: TokenId,
    /// The purpose of the token, as the operator entered it.
    pub label: String,
    /// When it was created.
    pub created_at: UnixTime,
    /// When it expires, if ever.
    pub expires_at: Option<UnixTime>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<UnixTime>,
}
