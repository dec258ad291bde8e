CREATE TABLE {schema}.mirror_meta (
    one bigint PRIMARY KEY CHECK (one = 1),
    version bigint NOT NULL,
    id bytea NOT NULL,
    secret bytea NOT NULL,
    source text NOT NULL,
    pruned bigint NOT NULL DEFAULT 0,
    -- The last number of a change. The number of a removed change is not used again.
    last bigint NOT NULL DEFAULT 0,
    -- The object id of this table, which differs after a dump was restored.
    relation bigint NOT NULL DEFAULT 0
);

CREATE TABLE {schema}.mirror_shape (
    number bigint PRIMARY KEY,
    table_name text NOT NULL,
    columns text NOT NULL
);

CREATE TABLE {schema}.mirror_scope (
    name text COLLATE "C" PRIMARY KEY,
    table_name text COLLATE "C" NOT NULL UNIQUE,
    present bigint NOT NULL DEFAULT 0,
    missing bigint NOT NULL DEFAULT 0,
    completed_at timestamptz
);

CREATE TABLE {schema}.mirror_change (
    number bigint PRIMARY KEY,
    at timestamptz NOT NULL,
    table_name text NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    fields text
);

CREATE TABLE {schema}.mirror_rejected (
    scope text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (scope, position)
);

CREATE TABLE {schema}.mirror_suppressed (
    table_name text COLLATE "C" NOT NULL,
    id bytea NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (table_name, id)
);
