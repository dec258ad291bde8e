-- The data of the service on SQLite. Every key begins with the account, so the rows of an account are contiguous.
-- A row is visible in the revisions of its account from `rev_from` up to, but not including, `rev_to`. `tag` is drawn
-- at random for every revision: caches of clients and servers use it to tell apart databases that reached the same
-- revision number.
-- `record` and `credits` are JSON texts, as responses send them. The import renders them, so that a list only concatenates
-- records. `check` compares a record with what rendering its fields gives.
CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
  revision INTEGER NOT NULL,
  credits TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  tag INTEGER NOT NULL
) STRICT;

-- Only the hash of a token is stored, and it cannot be used to call the service.
CREATE TABLE token (
  sha256 BLOB PRIMARY KEY CHECK (length(sha256) = 32),
  account_id INTEGER NOT NULL REFERENCES account(id),
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX token_by_account ON token(account_id, created_at);

CREATE TABLE revision (
  account_id INTEGER NOT NULL,
  rev INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (account_id, rev)
) STRICT, WITHOUT ROWID;

-- A dictionary: the name of a status is stored once per account, and rows refer to it by its key.
CREATE TABLE status (
  account_id INTEGER NOT NULL,
  key INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (account_id, key),
  UNIQUE (account_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE vacancy (
  account_id INTEGER NOT NULL,
  id INTEGER NOT NULL CHECK (id >= 0),
  rev_from INTEGER NOT NULL,
  rev_to INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (account_id, id, rev_from)
) STRICT, WITHOUT ROWID;

CREATE TABLE candidate (
  account_id INTEGER NOT NULL,
  id INTEGER NOT NULL CHECK (id >= 0),
  rev_from INTEGER NOT NULL,
  rev_to INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (account_id, id, rev_from)
) STRICT, WITHOUT ROWID;

CREATE TABLE application (
  account_id INTEGER NOT NULL,
  vacancy_id INTEGER NOT NULL,
  candidate_id INTEGER NOT NULL,
  rev_from INTEGER NOT NULL,
  rev_to INTEGER NOT NULL,
  status_key INTEGER NOT NULL,
  PRIMARY KEY (account_id, vacancy_id, candidate_id, rev_from)
) STRICT, WITHOUT ROWID;
CREATE INDEX application_by_status
  ON application(account_id, vacancy_id, status_key, candidate_id, rev_from, rev_to);

-- These indexes contain superseded rows only, so they are as small as the garbage that they find.
CREATE INDEX vacancy_superseded ON vacancy(account_id, rev_to) WHERE rev_to < 9223372036854775807;
CREATE INDEX candidate_superseded ON candidate(account_id, rev_to) WHERE rev_to < 9223372036854775807;
CREATE INDEX application_superseded ON application(account_id, rev_to) WHERE rev_to < 9223372036854775807;
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
-- The deletions of records. `pending` is 1 until the files hold no trace of the deleted records. The number of a
-- deleted account is found here, so that it is not used again.
CREATE TABLE erasure (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  pending INTEGER NOT NULL
) STRICT;
