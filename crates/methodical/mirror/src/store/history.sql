CREATE TABLE mirror_run (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    table_name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    is_baseline INTEGER NOT NULL,
    added INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    returned INTEGER NOT NULL,
    missing INTEGER NOT NULL,
    gone INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    repeated INTEGER NOT NULL,
    suppressed INTEGER NOT NULL,
    calls INTEGER NOT NULL
) STRICT;

CREATE TABLE mirror_sample (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    gauge TEXT NOT NULL,
    amount TEXT NOT NULL,
    unit TEXT
) STRICT;

CREATE INDEX mirror_sample_gauge ON mirror_sample (gauge, number);
