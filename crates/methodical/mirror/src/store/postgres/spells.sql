CREATE TABLE {schema}.mirror_spell (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    group_id text COLLATE "C" NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    -- NULL while the value was unknown.
    value text,
    began_at timestamptz NOT NULL,
    -- NULL if the placement has the value.
    ended_at timestamptz,
    -- Whether the value may be older: the first recovery found it, or it follows an unknown value.
    began_before boolean NOT NULL
);

CREATE INDEX mirror_spell_member ON {schema}.mirror_spell (member_id);

-- Statistics would keep samples of erased values.
ALTER TABLE {schema}.mirror_spell ALTER COLUMN value SET STATISTICS 0;
