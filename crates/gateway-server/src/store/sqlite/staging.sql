-- What an import brings, before it is compared with what is there. Seen by the importing connection only. `seq` numbers
-- the records of a kind as they come: two of them can stand in one place.
CREATE TEMP TABLE IF NOT EXISTS staged_vacancy (
  seq INTEGER PRIMARY KEY, place INTEGER NOT NULL, id INTEGER NOT NULL, project TEXT NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS staged_candidate (
  seq INTEGER PRIMARY KEY, place INTEGER NOT NULL, id INTEGER NOT NULL, record TEXT NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS staged_application (
  seq INTEGER PRIMARY KEY, place INTEGER NOT NULL, vacancy_id INTEGER NOT NULL, candidate_id INTEGER NOT NULL,
  status_key INTEGER NOT NULL);
DROP INDEX IF EXISTS temp.staged_vacancy_by_id;
DROP INDEX IF EXISTS temp.staged_candidate_by_id;
DROP INDEX IF EXISTS temp.staged_application_by_id;
DELETE FROM staged_vacancy;
DELETE FROM staged_candidate;
DELETE FROM staged_application;
