-- The lists of a revision. A former release leaves all of these columns empty. `tag` repeats the one of the account, and
-- the others are those of the revision that last changed the list.
ALTER TABLE revision ADD COLUMN tag BIGINT;
ALTER TABLE revision ADD COLUMN candidates_tag BIGINT;
ALTER TABLE revision ADD COLUMN statuses_tag BIGINT;
ALTER TABLE revision ADD COLUMN vacancies_tag BIGINT;
ALTER TABLE revision ADD COLUMN credits_tag BIGINT;

-- A former release counted the filtered lists here. A deletion empties it: it has the names of statuses.
CREATE TABLE status_tally (
  account_id BIGINT NOT NULL,
  vacancy_id BIGINT NOT NULL,
  status TEXT NOT NULL,
  rev_from BIGINT NOT NULL,
  PRIMARY KEY (account_id, vacancy_id, status, rev_from)
);

-- The deletions of records. `pending` is 1 until the files hold no trace of the deleted records. The number of a
-- deleted account is found here, so that it is not used again.
CREATE TABLE erasure (
  id BIGINT NOT NULL PRIMARY KEY,
  account_id BIGINT NOT NULL,
  at BIGINT NOT NULL,
  pending BIGINT NOT NULL
);
