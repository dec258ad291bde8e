//! The statements on revisions and their tallies, which both databases share. The rules are those of [`sql`](crate::store::sql).
//!
//! A row without a checksum adds its id modulo 2147483647: a prime number, so every bit of the id counts, and small, so
//! the sum does not overflow.

/// The lists of the current revision. The lists of a revision of a former release have the tag of the account. -1 is a
/// missing tally or checksum.
pub(crate) const LAST_LISTS: &str = "\
    SELECT a.revision, coalesce(r.candidates_tag, a.tag), coalesce(r.statuses_tag, a.tag), \
    coalesce(r.vacancies_tag, a.tag), coalesce(r.credits_tag, a.tag), \
    coalesce(r.candidates, CASE a.revision WHEN 0 THEN 0 ELSE -1 END), coalesce(r.candidates_sum, 0), \
    coalesce(r.vacancies, 0), coalesce(r.vacancies_sum, 0), coalesce(r.credits_checksum, -1) \
    FROM account a LEFT JOIN revision r ON r.account_id = a.id AND r.rev = a.revision WHERE a.id = $1";

/// The tally of a list in a revision: the number of rows and their sum. No row if the revision has been removed; empty
/// columns if a former release wrote it.
pub(crate) const CANDIDATES: &str =
    "SELECT candidates, candidates_sum FROM revision WHERE account_id = $1 AND rev = $2";

pub(crate) const VACANCIES: &str =
    "SELECT vacancies, vacancies_sum FROM revision WHERE account_id = $1 AND rev = $2";

pub(crate) const VACANCY_CANDIDATES: &str = "\
    SELECT CASE WHEN candidates >= 0 THEN \
    (SELECT CAST(coalesce(sum(number), 0) AS BIGINT) FROM status_tally \
    WHERE account_id = $1 AND rev_from <= $2 AND $2 < rev_to AND vacancy_id = $3) END, \
    (SELECT CAST(coalesce(sum(total), 0) AS BIGINT) FROM status_tally \
    WHERE account_id = $1 AND rev_from <= $2 AND $2 < rev_to AND vacancy_id = $3) \
    FROM revision WHERE account_id = $1 AND rev = $2";

pub(crate) const STATUS_CANDIDATES: &str = "\
    SELECT CASE WHEN candidates >= 0 THEN \
    (SELECT CAST(coalesce(sum(number), 0) AS BIGINT) FROM status_tally \
    WHERE account_id = $1 AND rev_from <= $2 AND $2 < rev_to AND vacancy_id = $3 AND status = $4) END, \
    (SELECT CAST(coalesce(sum(total), 0) AS BIGINT) FROM status_tally \
    WHERE account_id = $1 AND rev_from <= $2 AND $2 < rev_to AND vacancy_id = $3 AND status = $4) \
    FROM revision WHERE account_id = $1 AND rev = $2";

pub(crate) const SET_REVISION: &str = "UPDATE account SET revision = $1, tag = $2 WHERE id = $3";

pub(crate) const CREATE_REVISION: &str = "\
    INSERT INTO revision(account_id, rev, at, tag, candidates_tag, statuses_tag, vacancies_tag, \
    credits_tag, candidates, candidates_sum, vacancies, vacancies_sum, credits_checksum) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

pub(crate) const LIVE_CANDIDATES: &str = "\
    SELECT count(*), CAST(coalesce(sum(coalesce(checksum, id % 2147483647)), 0) AS BIGINT) \
    FROM candidate WHERE account_id = $1 AND rev_to = 9223372036854775807";

pub(crate) const LIVE_VACANCIES: &str = "\
    SELECT count(*), CAST(coalesce(sum(coalesce(checksum, id % 2147483647)), 0) AS BIGINT) \
    FROM vacancy WHERE account_id = $1 AND rev_to = 9223372036854775807";

/// The rows that a revision ended.
pub(crate) const ENDED_CANDIDATES: &str = "\
    SELECT count(*), CAST(coalesce(sum(coalesce(checksum, id % 2147483647)), 0) AS BIGINT) \
    FROM candidate WHERE account_id = $1 AND rev_to = $2 AND rev_to < 9223372036854775807";

pub(crate) const ENDED_VACANCIES: &str = "\
    SELECT count(*), CAST(coalesce(sum(coalesce(checksum, id % 2147483647)), 0) AS BIGINT) \
    FROM vacancy WHERE account_id = $1 AND rev_to = $2 AND rev_to < 9223372036854775807";

/// The statements on the rows that an import added.
pub(crate) struct Added {
    /// Count the rows of a list and sum them up.
    pub(crate) candidates: &'static str,
    pub(crate) vacancies: &'static str,
    /// Adds the tallies of a revision that differ from the last ones.
    pub(crate) change_statuses: &'static str,
}

macro_rules! change_statuses {
    ($added:literal) => {
        concat!(
            "INSERT INTO status_tally(account_id, vacancy_id, status, rev_from, rev_to, number, total) \
             SELECT $1, d.vacancy_id, n.name, $2, 9223372036854775807, \
             coalesce(t.number, 0) + d.number, coalesce(t.total, 0) + d.total \
             FROM (SELECT vacancy_id, status_key, sum(number) AS number, sum(total) AS total FROM (\
             SELECT a.vacancy_id, a.status_key, 1 AS number, a.candidate_id % 2147483647 AS total ",
            $added,
            " UNION ALL SELECT vacancy_id, status_key, -1, -(candidate_id % 2147483647) FROM application \
             WHERE account_id = $1 AND rev_to = $2 AND rev_to < 9223372036854775807) c \
             GROUP BY vacancy_id, status_key) d \
             JOIN status n ON n.account_id = $1 AND n.key = d.status_key \
             LEFT JOIN status_tally t ON t.account_id = $1 AND t.vacancy_id = d.vacancy_id \
             AND t.status = n.name AND t.rev_from < $2 AND t.rev_to = 9223372036854775807"
        )
    };
}

/// For SQLite, which reads the staged rows again by their keys: `CROSS JOIN` makes it begin with them.
pub(crate) const STAGED: Added = Added {
    candidates: "\
        SELECT count(*), CAST(coalesce(sum(coalesce(c.checksum, c.id % 2147483647)), 0) AS BIGINT) \
        FROM (SELECT DISTINCT id FROM staged_candidate) s CROSS JOIN candidate c \
        WHERE c.account_id = $1 AND c.id = s.id AND c.rev_from = $2",
    vacancies: "\
        SELECT count(*), CAST(coalesce(sum(coalesce(v.checksum, v.id % 2147483647)), 0) AS BIGINT) \
        FROM (SELECT DISTINCT id FROM staged_vacancy) s CROSS JOIN vacancy v \
        WHERE v.account_id = $1 AND v.id = s.id AND v.rev_from = $2",
    change_statuses: change_statuses!(
        "FROM (SELECT DISTINCT vacancy_id, candidate_id FROM staged_application) s CROSS JOIN application a \
         WHERE a.account_id = $1 AND a.vacancy_id = s.vacancy_id AND a.candidate_id = s.candidate_id \
         AND a.rev_from = $2"
    ),
};

/// For PostgreSQL, whose planner has no statistics of the new revision and might compare each new row with all staged
/// ones. The import has noted the new rows in temporary tables.
#[cfg(feature = "postgres")]
pub(crate) const NOTED: Added = Added {
    candidates: "\
        SELECT count(*), CAST(coalesce(sum(checksum), 0) AS BIGINT) \
        FROM added_candidate WHERE account_id = $1 AND rev_from = $2",
    vacancies: "\
        SELECT count(*), CAST(coalesce(sum(checksum), 0) AS BIGINT) \
        FROM added_vacancy WHERE account_id = $1 AND rev_from = $2",
    change_statuses: change_statuses!(
        "FROM added_application a WHERE a.account_id = $1 AND a.rev_from = $2"
    ),
};

/// The same after a deletion, which stages nothing.
pub(crate) const LOWER_STATUS_TALLIES: &str = "\
    INSERT INTO status_tally(account_id, vacancy_id, status, rev_from, rev_to, number, total) \
    SELECT $1, d.vacancy_id, n.name, $2, 9223372036854775807, \
    coalesce(t.number, 0) - d.number, coalesce(t.total, 0) - d.total \
    FROM (SELECT vacancy_id, status_key, count(*) AS number, sum(candidate_id % 2147483647) AS total \
    FROM application WHERE account_id = $1 AND rev_to = $2 AND rev_to < 9223372036854775807 \
    GROUP BY vacancy_id, status_key) d \
    JOIN status n ON n.account_id = $1 AND n.key = d.status_key \
    LEFT JOIN status_tally t ON t.account_id = $1 AND t.vacancy_id = d.vacancy_id \
    AND t.status = n.name AND t.rev_from < $2 AND t.rev_to = 9223372036854775807";

/// Ends the tallies that the statements above have replaced.
pub(crate) const END_CHANGED_TALLIES: &str = "\
    UPDATE status_tally SET rev_to = $1 WHERE account_id = $2 AND rev_from < $1 \
    AND rev_to = 9223372036854775807 AND EXISTS (SELECT 1 FROM status_tally n \
    WHERE n.account_id = $2 AND n.vacancy_id = status_tally.vacancy_id \
    AND n.status = status_tally.status AND n.rev_from = $1)";

/// Ends all tallies.
pub(crate) const END_ALL_TALLIES: &str = "\
    UPDATE status_tally SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807";

/// Adds the tallies of all live rows.
pub(crate) const COUNT_STATUSES: &str = "\
    INSERT INTO status_tally(account_id, vacancy_id, status, rev_from, rev_to, number, total) \
    SELECT $1, d.vacancy_id, n.name, $2, 9223372036854775807, d.number, d.total \
    FROM (SELECT vacancy_id, status_key, count(*) AS number, sum(candidate_id % 2147483647) AS total \
    FROM application WHERE account_id = $1 AND rev_to = 9223372036854775807 \
    GROUP BY vacancy_id, status_key) d \
    JOIN status n ON n.account_id = $1 AND n.key = d.status_key";

pub(crate) const COLLECT_TALLIES: &str = "\
    DELETE FROM status_tally WHERE account_id = $1 AND rev_to <= $2 \
    AND rev_to < 9223372036854775807";

/// Counts accounts whose newest revision was written by a former release.
pub(crate) const UNCOUNTED: &str = "\
    SELECT count(*) FROM account a JOIN revision r ON r.account_id = a.id AND r.rev = a.revision \
    WHERE r.candidates IS NULL";

/// Counts differences between tallies and rows, each with its line in the report of `check`.
pub(crate) const DAMAGE: [(&str, &str); 4] = [
    (
        "SELECT count(*) FROM account a JOIN revision r ON r.account_id = a.id AND r.rev = a.revision \
         WHERE r.tag <> a.tag",
        "accounts whose tag is not the one of their revision",
    ),
    (
        "SELECT count(*) FROM account a JOIN revision r ON r.account_id = a.id AND r.rev = a.revision \
         LEFT JOIN (SELECT account_id, count(*) AS number, \
         sum(coalesce(checksum, id % 2147483647)) AS total FROM candidate \
         WHERE rev_to = 9223372036854775807 GROUP BY account_id) c ON c.account_id = a.id \
         WHERE r.candidates <> coalesce(c.number, 0) OR r.candidates_sum <> coalesce(c.total, 0)",
        "accounts whose candidates do not match their tally",
    ),
    (
        "SELECT count(*) FROM account a JOIN revision r ON r.account_id = a.id AND r.rev = a.revision \
         LEFT JOIN (SELECT account_id, count(*) AS number, \
         sum(coalesce(checksum, id % 2147483647)) AS total FROM vacancy \
         WHERE rev_to = 9223372036854775807 GROUP BY account_id) v ON v.account_id = a.id \
         WHERE r.vacancies <> coalesce(v.number, 0) OR r.vacancies_sum <> coalesce(v.total, 0)",
        "accounts whose vacancies do not match their tally",
    ),
    (
        "SELECT count(*) FROM (SELECT account_id, vacancy_id, status FROM (\
         SELECT account_id, vacancy_id, status, number, total FROM status_tally \
         WHERE rev_to = 9223372036854775807 \
         UNION ALL SELECT a.account_id, a.vacancy_id, n.name, -count(*), \
         -sum(a.candidate_id % 2147483647) FROM application a \
         JOIN status n ON n.account_id = a.account_id AND n.key = a.status_key \
         WHERE a.rev_to = 9223372036854775807 GROUP BY a.account_id, a.vacancy_id, n.name) u \
         GROUP BY account_id, vacancy_id, status HAVING sum(number) <> 0 OR sum(total) <> 0) d \
         WHERE EXISTS (SELECT 1 FROM account a \
         JOIN revision r ON r.account_id = a.id AND r.rev = a.revision \
         WHERE a.id = d.account_id AND r.candidates IS NOT NULL)",
        "vacancies whose statuses do not match their tally",
    ),
];

/// All statements above that have parameters, for the tests of the rules.
#[cfg(test)]
pub(crate) const ALL: &[&str] = &[
    LAST_LISTS,
    CANDIDATES,
    VACANCIES,
    VACANCY_CANDIDATES,
    STATUS_CANDIDATES,
    SET_REVISION,
    CREATE_REVISION,
    LIVE_CANDIDATES,
    LIVE_VACANCIES,
    ENDED_CANDIDATES,
    ENDED_VACANCIES,
    STAGED.candidates,
    STAGED.vacancies,
    STAGED.change_statuses,
    #[cfg(feature = "postgres")]
    NOTED.candidates,
    #[cfg(feature = "postgres")]
    NOTED.vacancies,
    #[cfg(feature = "postgres")]
    NOTED.change_statuses,
    LOWER_STATUS_TALLIES,
    END_CHANGED_TALLIES,
    END_ALL_TALLIES,
    COUNT_STATUSES,
    COLLECT_TALLIES,
];
