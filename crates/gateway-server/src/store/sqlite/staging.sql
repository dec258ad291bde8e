-- What an import brings, before it is compared with what is there. Seen by the importing connection only, which makes
-- the tables and ends with them. `seq` numbers the records of a kind as they come: two of them can stand in one place.
CREATE TEMP TABLE staged_vacancy (
  seq INTEGER PRIMARY KEY, place INTEGER NOT NULL, id INTEGER NOT NULL, project TEXT NOT NULL);
CREATE TEMP TABLE staged_candidate (
  seq INTEGER PRIMARY KEY, place INTEGER NOT NULL, id INTEGER NOT NULL, record TEXT NOT NULL);
CREATE TEMP TABLE staged_application (
  seq INTEGER PRIMARY KEY, place INTEGER NOT NULL, vacancy_id INTEGER NOT NULL, candidate_id INTEGER NOT NULL,
  status_key INTEGER NOT NULL);
CREATE TEMP TABLE staged_status (
  key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
