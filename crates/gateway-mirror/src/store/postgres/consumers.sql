CREATE TABLE {schema}.mirror_consumer (
    name text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL,
    created_at timestamptz NOT NULL,
    delivered_at timestamptz,
    failures bigint NOT NULL,
    next_attempt_at timestamptz,
    disabled text
);
