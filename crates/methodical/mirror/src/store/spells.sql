CREATE TABLE mirror_spell (
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

CREATE INDEX mirror_spell_member ON mirror_spell (member_id);
