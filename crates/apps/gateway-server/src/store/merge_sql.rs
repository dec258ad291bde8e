//! The statements that compare staged records with live ones, which both databases share. The rules are those of
//! [`sql`](crate::store::sql).
//!
//! No statement needs an index on the staged records, because an index costs more than one pass over them.

/// The statements of a kind of records.
pub(crate) struct Kind {
    /// Counts the different keys of the staged records.
    pub(crate) keys: &'static str,
    /// Finds two different staged records with one key. Returns the id and both places.
    pub(crate) conflict: &'static str,
    /// Counts live records, to at most one.
    pub(crate) live: &'static str,
    /// Ends the row versions that the import replaces.
    pub(crate) supersede: &'static str,
    pub(crate) insert: Inserts,
}

/// The statements that add the staged records that are not live, in the order of the key, so that the database appends.
/// They give the same rows; the first ones of each pair are faster, but need an account without live records of the kind.
pub(crate) struct Inserts {
    /// For records that were staged in the order of the key.
    pub(crate) ascending: [&'static str; 2],
    /// For records that share no key.
    pub(crate) unique: [&'static str; 2],
    /// For other records. Inserts the first one of each key.
    pub(crate) any: [&'static str; 2],
}

macro_rules! inserts {
    ($insert:literal, $is_first:literal, $is_new:literal, $order:literal) => {
        Inserts {
            ascending: [$insert, concat!($insert, " WHERE ", $is_new)],
            unique: [concat!($insert, $order), concat!($insert, " WHERE ", $is_new, $order)],
            any: [
                concat!($insert, " WHERE ", $is_first, $order),
                concat!($insert, " WHERE ", $is_first, " AND ", $is_new, $order),
            ],
        }
    };
}

pub(crate) const VACANCIES: Kind = Kind {
    keys: "SELECT count(DISTINCT id) FROM staged_vacancy",
    conflict: "\
        SELECT b.id, a.place, b.place FROM \
        (SELECT id, min(seq) AS seq FROM staged_vacancy GROUP BY id HAVING count(*) > 1) f \
        JOIN staged_vacancy a ON a.seq = f.seq JOIN staged_vacancy b ON b.id = f.id \
        WHERE a.record <> b.record ORDER BY b.seq LIMIT 1",
    live: "\
        SELECT count(*) FROM (SELECT 1 FROM vacancy v WHERE v.account_id = $1 \
        AND v.rev_to = 9223372036854775807 LIMIT 1) one",
    // `CROSS JOIN` makes SQLite begin with the staged rows.
    supersede: "\
        UPDATE vacancy SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
        AND id IN (SELECT s.id FROM staged_vacancy s CROSS JOIN vacancy v \
        WHERE v.account_id = $2 AND v.id = s.id AND v.rev_to = 9223372036854775807 \
        AND v.record <> s.record)",
    insert: inserts!(
        "INSERT INTO vacancy(account_id, id, rev_from, rev_to, record) \
         SELECT $1, s.id, $2, 9223372036854775807, s.record FROM staged_vacancy s",
        "s.seq IN (SELECT min(f.seq) FROM staged_vacancy f GROUP BY f.id)",
        "NOT EXISTS (SELECT 1 FROM vacancy v WHERE v.account_id = $1 AND v.id = s.id \
         AND v.rev_to = 9223372036854775807)",
        " ORDER BY s.id"
    ),
};

pub(crate) const CANDIDATES: Kind = Kind {
    keys: "SELECT count(DISTINCT id) FROM staged_candidate",
    conflict: "\
        SELECT b.id, a.place, b.place FROM \
        (SELECT id, min(seq) AS seq FROM staged_candidate GROUP BY id HAVING count(*) > 1) f \
        JOIN staged_candidate a ON a.seq = f.seq JOIN staged_candidate b ON b.id = f.id \
        WHERE a.record <> b.record ORDER BY b.seq LIMIT 1",
    live: "\
        SELECT count(*) FROM (SELECT 1 FROM candidate c WHERE c.account_id = $1 \
        AND c.rev_to = 9223372036854775807 LIMIT 1) one",
    supersede: "\
        UPDATE candidate SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
        AND id IN (SELECT s.id FROM staged_candidate s CROSS JOIN candidate c \
        WHERE c.account_id = $2 AND c.id = s.id AND c.rev_to = 9223372036854775807 \
        AND c.record <> s.record)",
    insert: inserts!(
        "INSERT INTO candidate(account_id, id, rev_from, rev_to, record) \
         SELECT $1, s.id, $2, 9223372036854775807, s.record FROM staged_candidate s",
        "s.seq IN (SELECT min(f.seq) FROM staged_candidate f GROUP BY f.id)",
        "NOT EXISTS (SELECT 1 FROM candidate c WHERE c.account_id = $1 AND c.id = s.id \
         AND c.rev_to = 9223372036854775807)",
        " ORDER BY s.id"
    ),
};

/// The id of a conflict is that of the candidate.
pub(crate) const APPLICATIONS: Kind = Kind {
    keys: "\
        SELECT count(*) FROM (SELECT DISTINCT vacancy_id, candidate_id FROM staged_application) d",
    conflict: "\
        SELECT b.candidate_id, a.place, b.place FROM \
        (SELECT vacancy_id, candidate_id, min(seq) AS seq FROM staged_application \
        GROUP BY vacancy_id, candidate_id HAVING count(*) > 1) f \
        JOIN staged_application a ON a.seq = f.seq \
        JOIN staged_application b ON b.vacancy_id = f.vacancy_id AND b.candidate_id = f.candidate_id \
        WHERE a.status_key <> b.status_key ORDER BY b.seq LIMIT 1",
    live: "\
        SELECT count(*) FROM (SELECT 1 FROM application a WHERE a.account_id = $1 \
        AND a.rev_to = 9223372036854775807 LIMIT 1) one",
    supersede: "\
        UPDATE application SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
        AND (vacancy_id, candidate_id) IN (SELECT s.vacancy_id, s.candidate_id \
        FROM staged_application s CROSS JOIN application a \
        WHERE a.account_id = $2 AND a.vacancy_id = s.vacancy_id AND a.candidate_id = s.candidate_id \
        AND a.rev_to = 9223372036854775807 AND a.status_key <> s.status_key)",
    insert: inserts!(
        "INSERT INTO application(account_id, vacancy_id, candidate_id, rev_from, rev_to, status_key) \
         SELECT $1, s.vacancy_id, s.candidate_id, $2, 9223372036854775807, s.status_key \
         FROM staged_application s",
        "s.seq IN (SELECT min(f.seq) FROM staged_application f GROUP BY f.vacancy_id, f.candidate_id)",
        "NOT EXISTS (SELECT 1 FROM application a WHERE a.account_id = $1 \
         AND a.vacancy_id = s.vacancy_id AND a.candidate_id = s.candidate_id \
         AND a.rev_to = 9223372036854775807)",
        " ORDER BY s.vacancy_id, s.candidate_id"
    ),
};

/// Finds a status in a vacancy that does not exist. Returns the vacancy and the place.
pub(crate) const UNKNOWN_VACANCY: &str = "\
    SELECT s.vacancy_id, s.place FROM staged_application s WHERE NOT EXISTS (\
    SELECT 1 FROM vacancy v WHERE v.account_id = $1 AND v.id = s.vacancy_id \
    AND v.rev_to = 9223372036854775807) ORDER BY s.seq LIMIT 1";

/// Finds a status of a candidate that does not exist. Returns the candidate and the place.
pub(crate) const UNKNOWN_CANDIDATE: &str = "\
    SELECT s.candidate_id, s.place FROM staged_application s WHERE NOT EXISTS (\
    SELECT 1 FROM candidate c WHERE c.account_id = $1 AND c.id = s.candidate_id \
    AND c.rev_to = 9223372036854775807) ORDER BY s.seq LIMIT 1";

/// Returns all statements above, for the tests of the rules.
#[cfg(test)]
pub(crate) fn all() -> Vec<&'static str> {
    let mut all = vec![UNKNOWN_VACANCY, UNKNOWN_CANDIDATE];
    for kind in [VACANCIES, CANDIDATES, APPLICATIONS] {
        let Kind { keys, conflict, live, supersede, insert } = kind;
        let Inserts { ascending, unique, any } = insert;
        all.extend([keys, conflict, live, supersede]);
        all.extend([ascending, unique, any].concat());
    }
    all
}
