"""Fills a mirror with many candidates, for `engines.py`: each has one placement and one or two spells in 1,000 vacancies, over two years.

Arguments: a mirror that `gateway --demo mirror sync --to MIRROR` created, and the number of candidates. The records of the demo are replaced.
"""

import sqlite3
import sys

MIRROR, CANDIDATES, VACANCIES, SAMPLES = sys.argv[1], int(sys.argv[2]), 1000, 730

NUMBERS = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {}) "
NOW = "'2026-11-01T00:00:00Z'"
CANDIDATE = "CAST(100000000 + n AS TEXT)"
VACANCY = f"CAST((n - 1) * {VACANCIES} / {CANDIDATES} + 1 AS TEXT)"
PLACEMENT = f"{VACANCY} || '/' || {CANDIDATE}"
# Each tenth candidate is on the shortlist, and three of ten are rejected. They were new before.
STATUS = "CASE WHEN n * 7 % 10 < 6 THEN 'New' WHEN n * 7 % 10 < 9 THEN 'Rejected' ELSE 'Shortlist' END"
MOVED = "n * 7 % 10 >= 6"
BEGAN = "strftime('%Y-%m-%dT%H:%M:%SZ', '2025-01-01', '+' || (n * 13 % 300) || ' days')"
ENDED = "strftime('%Y-%m-%dT%H:%M:%SZ', '2025-01-01', '+' || (n * 13 % 300 + n * 17 % 60) || ' days')"

# The columns of every record. The next sync would write all records again, because it has other hashes.
RECORD = {
    "mirror_key": "n",
    "mirror_hash": "zeroblob(24)",
    "mirror_state": "'present'",
    "mirror_misses": "0",
    "mirror_first_seen": NOW,
    "mirror_changed_at": NOW,
}
SPELL = {
    "table_name": "'candidate_vacancy'",
    "record_id": PLACEMENT,
    "group_id": VACANCY,
    "member_id": CANDIDATE,
}


def fill(mirror):
    shapes = dict(mirror.execute("SELECT table_name, max(number) FROM mirror_shape GROUP BY table_name"))

    def insert(table, count, columns, condition="true"):
        names, values = ", ".join(columns), ", ".join(map(str, columns.values()))
        mirror.execute(f"{NUMBERS.format(count)}INSERT INTO {table} ({names}) SELECT {values} FROM numbers WHERE {condition}")

    def records(table, count, columns):
        insert(table, count, {**RECORD, "mirror_shape": shapes[table], **columns})
        mirror.execute("UPDATE mirror_scope SET present = ?, missing = 0 WHERE table_name = ?", (count, table))

    records("vacancy", VACANCIES, {"id": "CAST(n AS TEXT)", "project": "'Project ' || n"})
    records("candidate", CANDIDATES, {
        "id": CANDIDATE,
        "name": "'Anna ' || (n * 7919 % 100003) || ' Kowalska'",
        "email": "'anna.' || n || '@example.com'",
        "phone": "'+48 600 ' || (n * 31 % 1000000)",
        "phone_mobile": "''",
        "date": "date('2024-11-04', '+' || (n * 7919 % 728) || ' days') || ' ' || substr('0' || (n % 24), -2) || ':15:00'",
        "portal_id": "CAST(n * 31 % 1000 % 40 AS TEXT)",
        "portal_name": "'Portal ' || (n * 31 % 1000 % 40)",
        "type": "'person'",
    })
    records("candidate_vacancy", CANDIDATES, {
        "id": PLACEMENT, "vacancy_id": VACANCY, "candidate_id": CANDIDATE, "status": STATUS,
    })
    insert("mirror_spell", CANDIDATES, {
        **SPELL, "value": "'New'", "began_at": BEGAN,
        "ended_at": f"CASE WHEN {MOVED} THEN {ENDED} END", "began_before": "n % 50 = 0",
    })
    insert("mirror_spell", CANDIDATES, {
        **SPELL, "value": STATUS, "began_at": ENDED, "ended_at": "NULL", "began_before": "0",
    }, MOVED)
    insert("mirror_sample", SAMPLES, {
        "at": "strftime('%Y-%m-%dT%H:%M:%SZ', '2024-11-04', '+' || n || ' days')",
        "gauge": "'credits'", "amount": "(100000 - n) || '.50'", "unit": "'EUR'",
    })


def main():
    mirror = sqlite3.connect(MIRROR, isolation_level=None)
    for pragma in ["journal_mode = off", "synchronous = off", "cache_size = -400000", "locking_mode = exclusive"]:
        mirror.execute(f"PRAGMA {pragma}")
    mirror.execute("BEGIN")
    for table in ["candidate", "vacancy", "candidate_vacancy", "mirror_spell", "mirror_sample"]:
        mirror.execute(f"DELETE FROM {table}")
    # An index of rows in no order is built faster afterwards.
    mirror.execute("DROP INDEX mirror_spell_member")
    fill(mirror)
    mirror.execute("CREATE INDEX mirror_spell_member ON mirror_spell (member_id)")
    mirror.execute("COMMIT")
    mirror.execute("PRAGMA journal_mode = wal")


main()
