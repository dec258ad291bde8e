CREATE TABLE mirror_meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id BLOB NOT NULL,
    secret BLOB NOT NULL,
    source TEXT NOT NULL,
    pruned INTEGER NOT NULL DEFAULT 0,
    -- The file is a backup, which gets another id when it is opened.
    is_copy INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE mirror_shape (
    number INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL,
    columns TEXT NOT NULL
) STRICT;

CREATE TABLE mirror_scope (
    name TEXT PRIMARY KEY,
    table_name TEXT NOT NULL UNIQUE,
    present INTEGER NOT NULL DEFAULT 0,
    missing INTEGER NOT NULL DEFAULT 0,
    completed_at TEXT
) STRICT;

-- AUTOINCREMENT: the number of a removed change is not used again.
CREATE TABLE mirror_change (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    table_name TEXT NOT NULL,
    record_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    fields TEXT,
    -- The values of a placement before and after the change. An erasure empties them.
    previous TEXT,
    value TEXT
) STRICT;

-- The changes whose values an erasure has to empty.
CREATE INDEX mirror_change_value ON mirror_change (table_name, record_id)
    WHERE previous IS NOT NULL OR value IS NOT NULL;

CREATE TABLE mirror_rejected (
    scope TEXT NOT NULL,
    position INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (scope, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE mirror_suppressed (
    table_name TEXT NOT NULL,
    id BLOB NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (table_name, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mirror_consumer (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    delivered_at TEXT,
    failures INTEGER NOT NULL,
    failed_at TEXT,
    error TEXT,
    next_attempt_at TEXT,
    disabled_at TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE mirror_note (
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE mirror_past_value (
    number INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL,
    record_id TEXT NOT NULL,
    group_id TEXT NOT NULL,
    member_id TEXT NOT NULL,
    -- NULL while the value was unknown.
    value TEXT,
    began_at TEXT NOT NULL,
    -- NULL if the placement has the value.
    ended_at TEXT,
    -- 1 if the value may be older: the first recovery found it, or it follows an unknown value.
    began_before INTEGER NOT NULL
) STRICT;

CREATE INDEX mirror_past_value_member ON mirror_past_value (member_id);

-- The former name of the table, for other programs.
CREATE VIEW mirror_spell AS SELECT * FROM mirror_past_value;
