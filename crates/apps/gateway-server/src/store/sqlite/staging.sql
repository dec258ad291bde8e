-- The records of an import, before they are compared with the live ones. Only the importing connection sees these
-- tables, and they end with it. `seq` numbers the records of a kind in the order of the input, because two records can
-- have one place.
CREATE TEMP TABLE staged_vacancy (
  seq INTEGER PRIMARY KEY, place INTEGER NOT NULL, id INTEGER NOT NULL, record TEXT NOT NULL);
CREATE TEMP TABLE staged_candidate (
  seq INTEGER PRIMARY KEY, place INTEGER NOT NULL, id INTEGER NOT NULL, record TEXT NOT NULL);
CREATE TEMP TABLE staged_application (
  seq INTEGER PRIMARY KEY, place INTEGER NOT NULL, vacancy_id INTEGER NOT NULL, candidate_id INTEGER NOT NULL,
  status_key INTEGER NOT NULL);
CREATE TEMP TABLE staged_status (
  key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
