-- For the statements of this transaction: sort and hash in memory, and do not compile.
SET LOCAL work_mem = '64MB';
SET LOCAL jit = off;
-- The records of an import, before they are compared with the live ones. Only the importing transaction sees these
-- tables. `seq` numbers the records of a kind in the order of the input, because two records can have one place.
CREATE TEMP TABLE staged_vacancy (
  seq BIGINT NOT NULL, place BIGINT NOT NULL, id BIGINT NOT NULL, record TEXT NOT NULL) ON COMMIT DROP;
CREATE TEMP TABLE staged_candidate (
  seq BIGINT NOT NULL, place BIGINT NOT NULL, id BIGINT NOT NULL, record TEXT NOT NULL) ON COMMIT DROP;
CREATE TEMP TABLE staged_application (
  seq BIGINT NOT NULL, place BIGINT NOT NULL, vacancy_id BIGINT NOT NULL, candidate_id BIGINT NOT NULL,
  status_key BIGINT NOT NULL) ON COMMIT DROP;
