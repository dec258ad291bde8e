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
