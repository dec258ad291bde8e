CREATE TABLE {schema}.mirror_consumer (
    name text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL,
    created_at timestamptz NOT NULL,
    delivered_at timestamptz,
    failures bigint NOT NULL,
    failed_at timestamptz,
    error text,
    next_attempt_at timestamptz,
    disabled_at timestamptz
);
