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
    fields TEXT
) STRICT;

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
