-- What an import brings, before it is compared with what is there. Seen by the importing transaction only.
CREATE TEMP TABLE staged_vacancy (
  place BIGINT NOT NULL, id BIGINT NOT NULL, project TEXT NOT NULL) ON COMMIT DROP;
CREATE TEMP TABLE staged_candidate (
  place BIGINT NOT NULL, id BIGINT NOT NULL, record TEXT NOT NULL) ON COMMIT DROP;
CREATE TEMP TABLE staged_application (
  place BIGINT NOT NULL, vacancy_id BIGINT NOT NULL, candidate_id BIGINT NOT NULL, status_key BIGINT NOT NULL)
  ON COMMIT DROP;
