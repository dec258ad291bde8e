-- The data of the service. Every key begins with the account, so the rows of an account are contiguous.
-- A row is visible in the revisions of its account from `rev_from` up to, but not including, `rev_to`. `tag` is drawn
-- at random for every revision: caches of clients and servers use it to tell apart databases that reached the same
-- revision number.
-- `record` and `credits` are JSON texts, as responses send them. The import renders them, so that a list only concatenates
-- records.
CREATE TABLE account (
  id BIGINT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
  revision BIGINT NOT NULL,
  credits TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  tag BIGINT NOT NULL
);

-- Only the hash of a token is stored, and it cannot be used to call the service.
CREATE TABLE token (
  sha256 BYTEA PRIMARY KEY CHECK (length(sha256) = 32),
  account_id BIGINT NOT NULL,
  label TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);
CREATE INDEX token_by_account ON token(account_id, created_at);

-- `tag` repeats the one of the account, and the others are those of the revision that last changed the list.
CREATE TABLE revision (
  account_id BIGINT NOT NULL,
  rev BIGINT NOT NULL,
  at BIGINT NOT NULL,
  tag BIGINT,
  candidates_tag BIGINT,
  statuses_tag BIGINT,
  vacancies_tag BIGINT,
  credits_tag BIGINT,
  PRIMARY KEY (account_id, rev)
);

-- A dictionary: the name of a status is stored once per account, and rows refer to it by its key.
CREATE TABLE status (
  account_id BIGINT NOT NULL,
  key BIGINT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (account_id, key),
  UNIQUE (account_id, name)
);

CREATE TABLE vacancy (
  account_id BIGINT NOT NULL,
  id BIGINT NOT NULL CHECK (id >= 0),
  rev_from BIGINT NOT NULL,
  rev_to BIGINT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (account_id, id, rev_from)
);

CREATE TABLE candidate (
  account_id BIGINT NOT NULL,
  id BIGINT NOT NULL CHECK (id >= 0),
  rev_from BIGINT NOT NULL,
  rev_to BIGINT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (account_id, id, rev_from)
);

CREATE TABLE application (
  account_id BIGINT NOT NULL,
  vacancy_id BIGINT NOT NULL,
  candidate_id BIGINT NOT NULL,
  rev_from BIGINT NOT NULL,
  rev_to BIGINT NOT NULL,
  status_key BIGINT NOT NULL,
  PRIMARY KEY (account_id, vacancy_id, candidate_id, rev_from)
);
CREATE INDEX application_by_status
  ON application(account_id, vacancy_id, status_key, candidate_id, rev_from, rev_to);

-- These indexes contain superseded rows only, so they are as small as the garbage that they find.
CREATE INDEX vacancy_superseded ON vacancy(account_id, rev_to) WHERE rev_to < 9223372036854775807;
CREATE INDEX candidate_superseded ON candidate(account_id, rev_to) WHERE rev_to < 9223372036854775807;
CREATE INDEX application_superseded ON application(account_id, rev_to) WHERE rev_to < 9223372036854775807;

-- Earlier builds counted the filtered lists here. A deletion empties it: it has the names of statuses.
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
