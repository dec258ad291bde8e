-- Checksums of records and tokens. Rows of a former release have none.
ALTER TABLE vacancy ADD COLUMN checksum INTEGER;
ALTER TABLE candidate ADD COLUMN checksum INTEGER;
ALTER TABLE token ADD COLUMN checksum INTEGER;

-- The lists of a revision. A former release leaves all of these columns empty. `tag` repeats the one of the account, and
-- the others are those of the revision that last changed the list. A tally is the number of live rows and the sum of
-- their checksums.
ALTER TABLE revision ADD COLUMN tag INTEGER;
ALTER TABLE revision ADD COLUMN candidates_tag INTEGER;
ALTER TABLE revision ADD COLUMN statuses_tag INTEGER;
ALTER TABLE revision ADD COLUMN vacancies_tag INTEGER;
ALTER TABLE revision ADD COLUMN credits_tag INTEGER;
ALTER TABLE revision ADD COLUMN candidates INTEGER;
ALTER TABLE revision ADD COLUMN candidates_sum INTEGER;
ALTER TABLE revision ADD COLUMN vacancies INTEGER;
ALTER TABLE revision ADD COLUMN vacancies_sum INTEGER;
ALTER TABLE revision ADD COLUMN credits_checksum INTEGER;

-- The tallies of the filtered lists, with the name of the status, so that a damaged dictionary is noticed. `total` sums
-- the ids of the candidates modulo 2147483647.
CREATE TABLE status_tally (
  account_id INTEGER NOT NULL,
  vacancy_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  rev_from INTEGER NOT NULL,
  rev_to INTEGER NOT NULL,
  number INTEGER NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (account_id, vacancy_id, status, rev_from)
) STRICT, WITHOUT ROWID;
CREATE INDEX status_tally_superseded ON status_tally(account_id, rev_to) WHERE rev_to < 9223372036854775807;
