CREATE TABLE {schema}.mirror_note (
    name text COLLATE "C" PRIMARY KEY,
    text text NOT NULL
);
