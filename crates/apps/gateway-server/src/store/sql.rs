//! The statements that both databases share.
//!
//! Parameters are numbered in the order in which they first appear, so that SQLite, for which `$1` is a name, binds
//! them in the same order as PostgreSQL, for which it is a number. Every statement on the data of an account has the
//! account among its parameters. Tests check both rules. A row with 9223372036854775807 in `rev_to` is live, because no
//! account reaches that revision.

pub(crate) const AUTHENTICATE: &str = "\
    SELECT t.account_id, a.revision, a.tag, r.candidates_tag, r.statuses_tag, r.vacancies_tag, \
    r.credits_tag, a.credits FROM token t JOIN account a ON a.id = t.account_id \
    LEFT JOIN revision r ON r.account_id = a.id AND r.rev = a.revision \
    WHERE t.sha256 = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $2)";

/// A page has rows only while its revision exists, so that a page whose rows are being removed is empty and never has
/// gaps. [`REVISION_EXISTS`] tells such a page from the end of the list.
pub(crate) const CANDIDATES: &str = "\
    SELECT id, record FROM candidate \
    WHERE account_id = $1 AND id > $2 AND rev_from <= $3 AND $3 < rev_to \
    AND $3 = (SELECT rev FROM revision WHERE account_id = $1 AND rev = $3) \
    ORDER BY id LIMIT $4";

pub(crate) const VACANCIES: &str = "\
    SELECT id, record FROM vacancy \
    WHERE account_id = $1 AND id > $2 AND rev_from <= $3 AND $3 < rev_to \
    AND $3 = (SELECT rev FROM revision WHERE account_id = $1 AND rev = $3) \
    ORDER BY id LIMIT $4";

pub(crate) const REVISION_EXISTS: &str =
    "SELECT 1 FROM revision WHERE account_id = $1 AND rev = $2";

pub(crate) const CREDITS: &str = "SELECT credits FROM account WHERE id = $1";

pub(crate) const NEWEST_REVISION: &str = "SELECT max(at) FROM revision";

pub(crate) const HEALTH: &str = "SELECT count(*) FROM (SELECT id FROM account LIMIT 1) one";

/// Takes the next number. That of a deleted account is not used again, because a list of it may be in progress.
pub(crate) const CREATE_ACCOUNT: &str = "\
    INSERT INTO account(id, name, revision, credits, created_at, tag) \
    SELECT coalesce(max(id), 0) + 1, $1, 0, $2, $3, 0 \
    FROM (SELECT id FROM account UNION ALL SELECT account_id FROM erasure) used RETURNING id";

pub(crate) const ACCOUNTS: &str =
    "SELECT id, name, revision, created_at FROM account ORDER BY name, id";

pub(crate) const ACCOUNT: &str = "SELECT id FROM account WHERE name = $1";

pub(crate) const CREATE_TOKEN: &str = "\
    INSERT INTO token(sha256, account_id, label, created_at, expires_at) \
    VALUES ($1, $2, $3, $4, $5)";

pub(crate) const TOKENS: &str = "\
    SELECT sha256, label, created_at, expires_at, revoked_at FROM token \
    WHERE account_id = $1 ORDER BY created_at, sha256";

/// A token is named by the first bytes of its hash, so this selects a range of hashes.
pub(crate) const REVOKE_TOKEN: &str = "\
    UPDATE token SET revoked_at = coalesce(revoked_at, $1) \
    WHERE account_id = $2 AND sha256 BETWEEN $3 AND $4";

pub(crate) const REVISION: &str = "SELECT revision FROM account WHERE id = $1";

/// The tags of the lists of the current revision. A list of a former release has the tag of the account.
pub(crate) const LAST_TAGS: &str = "\
    SELECT coalesce(r.candidates_tag, a.tag), coalesce(r.statuses_tag, a.tag), \
    coalesce(r.vacancies_tag, a.tag), coalesce(r.credits_tag, a.tag) \
    FROM account a LEFT JOIN revision r ON r.account_id = a.id AND r.rev = a.revision WHERE a.id = $1";

pub(crate) const SET_REVISION: &str = "UPDATE account SET revision = $1, tag = $2 WHERE id = $3";

pub(crate) const CREATE_REVISION: &str = "\
    INSERT INTO revision(account_id, rev, at, tag, candidates_tag, statuses_tag, vacancies_tag, \
    credits_tag) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

pub(crate) const SET_CREDITS: &str =
    "UPDATE account SET credits = $1 WHERE id = $2 AND credits <> $1";

/// Selects the newest revision of each account that was created before a point in time. Older ones are no longer read.
pub(crate) const COLLECTABLE: &str = "\
    SELECT account_id, max(rev) FROM revision WHERE at <= $1 GROUP BY account_id";

/// Deletes the revisions whose rows are about to be deleted. A later read of such a revision fails and misses no row.
pub(crate) const COLLECT_REVISIONS: &str =
    "DELETE FROM revision WHERE account_id = $1 AND rev < $2";

pub(crate) const COLLECT_VACANCIES: &str =
    "DELETE FROM vacancy WHERE account_id = $1 AND rev_to <= $2 AND rev_to < 9223372036854775807";

pub(crate) const COLLECT_CANDIDATES: &str =
    "DELETE FROM candidate WHERE account_id = $1 AND rev_to <= $2 AND rev_to < 9223372036854775807";

pub(crate) const COLLECT_APPLICATIONS: &str = "\
    DELETE FROM application WHERE account_id = $1 AND rev_to <= $2 \
    AND rev_to < 9223372036854775807";

/// Counts the candidates to delete of which the account has no version.
pub(crate) const COUNT_UNKNOWN_CANDIDATES: &str = "\
    SELECT count(*) FROM doomed d WHERE NOT EXISTS (\
    SELECT 1 FROM candidate c WHERE c.account_id = $1 AND c.id = d.candidate_id)";

pub(crate) const FIRST_UNKNOWN_CANDIDATE: &str = "\
    SELECT d.vacancy_id, d.candidate_id FROM doomed d WHERE NOT EXISTS (\
    SELECT 1 FROM candidate c WHERE c.account_id = $1 AND c.id = d.candidate_id) \
    ORDER BY d.seq LIMIT 1";

pub(crate) const COUNT_UNKNOWN_VACANCIES: &str = "\
    SELECT count(*) FROM doomed d WHERE NOT EXISTS (\
    SELECT 1 FROM vacancy v WHERE v.account_id = $1 AND v.id = d.vacancy_id)";

pub(crate) const FIRST_UNKNOWN_VACANCY: &str = "\
    SELECT d.vacancy_id, d.candidate_id FROM doomed d WHERE NOT EXISTS (\
    SELECT 1 FROM vacancy v WHERE v.account_id = $1 AND v.id = d.vacancy_id) \
    ORDER BY d.seq LIMIT 1";

pub(crate) const COUNT_UNKNOWN_STATUSES: &str = "\
    SELECT count(*) FROM doomed d WHERE NOT EXISTS (\
    SELECT 1 FROM application a WHERE a.account_id = $1 \
    AND a.vacancy_id = d.vacancy_id AND a.candidate_id = d.candidate_id)";

pub(crate) const FIRST_UNKNOWN_STATUS: &str = "\
    SELECT d.vacancy_id, d.candidate_id FROM doomed d WHERE NOT EXISTS (\
    SELECT 1 FROM application a WHERE a.account_id = $1 \
    AND a.vacancy_id = d.vacancy_id AND a.candidate_id = d.candidate_id) \
    ORDER BY d.seq LIMIT 1";

/// Ends the live rows to delete. The statements that collect superseded rows delete them.
pub(crate) const END_CANDIDATES: &str = "\
    UPDATE candidate SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    AND id IN (SELECT candidate_id FROM doomed)";

pub(crate) const END_VACANCIES: &str = "\
    UPDATE vacancy SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    AND id IN (SELECT vacancy_id FROM doomed)";

pub(crate) const END_STATUSES: &str = "\
    UPDATE application SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    AND (vacancy_id, candidate_id) IN (SELECT vacancy_id, candidate_id FROM doomed)";

pub(crate) const END_STATUSES_OF_CANDIDATES: &str = "\
    UPDATE application SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    AND candidate_id IN (SELECT candidate_id FROM doomed)";

pub(crate) const END_STATUSES_OF_VACANCIES: &str = "\
    UPDATE application SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    AND vacancy_id IN (SELECT vacancy_id FROM doomed)";

/// Deletes the names of statuses that no version of a row has.
pub(crate) const DELETE_UNUSED_STATUS_NAMES: &str = "\
    DELETE FROM status WHERE account_id = $1 \
    AND key NOT IN (SELECT status_key FROM application WHERE account_id = $1)";

pub(crate) const DELETE_ALL_CANDIDATES: &str =
    "DELETE FROM candidate WHERE account_id = $1 AND rev_to = 9223372036854775807";

pub(crate) const DELETE_ALL_VACANCIES: &str =
    "DELETE FROM vacancy WHERE account_id = $1 AND rev_to = 9223372036854775807";

pub(crate) const DELETE_ALL_STATUSES: &str =
    "DELETE FROM application WHERE account_id = $1 AND rev_to = 9223372036854775807";

pub(crate) const DELETE_SUPERSEDED_CANDIDATES: &str = "DELETE FROM candidate WHERE account_id = $1";

pub(crate) const DELETE_SUPERSEDED_VACANCIES: &str = "DELETE FROM vacancy WHERE account_id = $1";

pub(crate) const DELETE_SUPERSEDED_STATUSES: &str = "DELETE FROM application WHERE account_id = $1";

/// Deletes what a former release counted: it has the names of statuses.
pub(crate) const DELETE_TALLIES: &str = "DELETE FROM status_tally WHERE account_id = $1";

pub(crate) const DELETE_STATUS_NAMES: &str = "DELETE FROM status WHERE account_id = $1";

pub(crate) const DELETE_REVISIONS: &str = "DELETE FROM revision WHERE account_id = $1";

pub(crate) const DELETE_TOKENS: &str = "DELETE FROM token WHERE account_id = $1";

pub(crate) const DELETE_ACCOUNT: &str = "DELETE FROM account WHERE id = $1";

/// Records an erasure that is committed, but may have left traces in the files.
pub(crate) const CREATE_ERASURE: &str = "\
    INSERT INTO erasure(id, account_id, at, pending) \
    SELECT coalesce(max(id), 0) + 1, $1, $2, 1 FROM erasure";

pub(crate) const LAST_ERASURE: &str = "SELECT coalesce(max(id), 0) FROM erasure";

pub(crate) const FINISH_ERASURES: &str =
    "UPDATE erasure SET pending = 0 WHERE pending = 1 AND id <= $1";

pub(crate) const PENDING_ERASURES: &str = "SELECT count(*) FROM erasure WHERE pending = 1";

/// Counts inconsistent references, each with its line in the report of `check`. An import creates none.
pub(crate) const ORPHANS: [(&str, &str); 8] = [
    (
        "SELECT count(*) FROM (SELECT 1 FROM candidate WHERE rev_to = 9223372036854775807 \
         GROUP BY account_id, id HAVING count(*) > 1) twice",
        "candidates with two current versions",
    ),
    (
        "SELECT count(*) FROM (SELECT 1 FROM vacancy WHERE rev_to = 9223372036854775807 \
         GROUP BY account_id, id HAVING count(*) > 1) twice",
        "vacancies with two current versions",
    ),
    (
        "SELECT count(*) FROM account a JOIN revision r ON r.account_id = a.id AND r.rev = a.revision \
         WHERE r.tag <> a.tag",
        "accounts whose tag is not the one of their revision",
    ),
    (
        "SELECT count(*) FROM account WHERE (revision = 0) <> (tag = 0)",
        "accounts with a revision but no tag, or a tag but no revision",
    ),
    (
        "SELECT count(*) FROM account a WHERE a.revision > 0 AND NOT EXISTS (SELECT 1 FROM revision r \
         WHERE r.account_id = a.id AND r.rev = a.revision)",
        "accounts whose current revision does not exist",
    ),
    (
        "SELECT count(*) FROM application a WHERE NOT EXISTS (SELECT 1 FROM status s \
         WHERE s.account_id = a.account_id AND s.key = a.status_key)",
        "statuses of candidates without a name",
    ),
    (
        "SELECT count(*) FROM application a WHERE a.rev_to = 9223372036854775807 AND NOT EXISTS \
         (SELECT 1 FROM candidate c WHERE c.account_id = a.account_id AND c.id = a.candidate_id \
         AND c.rev_to = 9223372036854775807)",
        "statuses of candidates that do not exist",
    ),
    (
        "SELECT count(*) FROM token t WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.id = t.account_id)",
        "tokens of accounts that do not exist",
    ),
];

/// All statements above, for the tests of the rules.
#[cfg(test)]
pub(crate) const ALL: &[&str] = &[
    AUTHENTICATE,
    CANDIDATES,
    VACANCIES,
    REVISION_EXISTS,
    CREDITS,
    LAST_TAGS,
    SET_REVISION,
    CREATE_REVISION,
    NEWEST_REVISION,
    HEALTH,
    CREATE_ACCOUNT,
    ACCOUNTS,
    ACCOUNT,
    CREATE_TOKEN,
    TOKENS,
    REVOKE_TOKEN,
    REVISION,
    SET_CREDITS,
    COLLECTABLE,
    COLLECT_REVISIONS,
    COLLECT_VACANCIES,
    COLLECT_CANDIDATES,
    COLLECT_APPLICATIONS,
    COUNT_UNKNOWN_CANDIDATES,
    FIRST_UNKNOWN_CANDIDATE,
    COUNT_UNKNOWN_VACANCIES,
    FIRST_UNKNOWN_VACANCY,
    COUNT_UNKNOWN_STATUSES,
    FIRST_UNKNOWN_STATUS,
    END_CANDIDATES,
    END_VACANCIES,
    END_STATUSES,
    END_STATUSES_OF_CANDIDATES,
    END_STATUSES_OF_VACANCIES,
    DELETE_UNUSED_STATUS_NAMES,
    DELETE_ALL_CANDIDATES,
    DELETE_ALL_VACANCIES,
    DELETE_ALL_STATUSES,
    DELETE_SUPERSEDED_CANDIDATES,
    DELETE_SUPERSEDED_VACANCIES,
    DELETE_SUPERSEDED_STATUSES,
    DELETE_TALLIES,
    DELETE_STATUS_NAMES,
    DELETE_REVISIONS,
    DELETE_TOKENS,
    DELETE_ACCOUNT,
    CREATE_ERASURE,
    LAST_ERASURE,
    FINISH_ERASURES,
    PENDING_ERASURES,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{merge_sql, replace};

    /// Returns the numbers of the parameters of a statement in the order of their first appearance.
    fn parameters(sql: &str) -> Vec<u32> {
        let mut seen = Vec::new();
        for piece in sql.split('$').skip(1) {
            let number = piece.chars().next().and_then(|c| c.to_digit(10)).unwrap();
            if !seen.contains(&number) {
                seen.push(number);
            }
        }
        seen
    }

    fn all() -> impl Iterator<Item = &'static str> {
        let statements = ALL.iter().chain(replace::ALL).copied();
        statements.chain(merge_sql::all())
    }

    #[test]
    fn parameters_are_numbered_in_order_of_appearance() {
        for sql in all() {
            let parameters = parameters(sql);
            let expected: Vec<u32> = (1..).take(parameters.len()).collect();
            assert_eq!(parameters, expected, "{sql}");
        }
    }

    #[test]
    fn every_statement_on_account_data_has_the_account_as_a_parameter() {
        for sql in all() {
            let data = ["candidate ", "candidate c", "vacancy ", "application ", "status "];
            let touches = data.iter().any(|table| {
                ["FROM ", "JOIN ", "UPDATE ", "INTO "]
                    .iter()
                    .any(|verb| sql.contains(&format!("{verb}{table}")))
            });
            assert!(
                !touches || sql.contains("account_id = $") || sql.contains("(account_id,"),
                "{sql}"
            );
        }
    }
}
