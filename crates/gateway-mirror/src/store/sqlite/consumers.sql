CREATE TABLE mirror_consumer (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    delivered_at TEXT,
    failures INTEGER NOT NULL,
    next_attempt_at TEXT,
    disabled TEXT
) STRICT, WITHOUT ROWID;
