-- What an import brings, before it is compared with what is there. Seen by the importing transaction only. `seq` numbers
-- the records of a kind as they come: two of them can stand in one place.
CREATE TEMP TABLE staged_vacancy (
  seq BIGINT NOT NULL, place BIGINT NOT NULL, id BIGINT NOT NULL, project TEXT NOT NULL) ON COMMIT DROP;
CREATE TEMP TABLE staged_candidate (
  seq BIGINT NOT NULL, place BIGINT NOT NULL, id BIGINT NOT NULL, record TEXT NOT NULL) ON COMMIT DROP;
CREATE TEMP TABLE staged_application (
  seq BIGINT NOT NULL, place BIGINT NOT NULL, vacancy_id BIGINT NOT NULL, candidate_id BIGINT NOT NULL,
  status_key BIGINT NOT NULL) ON COMMIT DROP;
