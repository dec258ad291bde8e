CREATE TABLE {schema}.mirror_run (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    table_name text NOT NULL,
    outcome text NOT NULL,
    reason text,
    is_baseline boolean NOT NULL,
    added bigint NOT NULL,
    changed bigint NOT NULL,
    unchanged bigint NOT NULL,
    returned bigint NOT NULL,
    missing bigint NOT NULL,
    gone bigint NOT NULL,
    rejected bigint NOT NULL,
    repeated bigint NOT NULL,
    suppressed bigint NOT NULL,
    calls bigint NOT NULL
);

CREATE TABLE {schema}.mirror_sample (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    gauge text COLLATE "C" NOT NULL,
    amount text NOT NULL,
    unit text
);

CREATE INDEX mirror_sample_gauge ON {schema}.mirror_sample (gauge, number);
