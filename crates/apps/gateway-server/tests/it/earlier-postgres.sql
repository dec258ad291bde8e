-- The data of the service on PostgreSQL. Every key begins with the account, so the rows of an account are contiguous.
-- A row is visible in the revisions of its account from `rev_from` up to, but not including, `rev_to`. `tag` is drawn
-- at random for every revision: caches of clients and servers use it to tell apart databases that reached the same
-- revision number.
-- `record` and `credits` are JSON texts, as responses send them. The import renders them, so that a list only concatenates
-- records. `check` compares a record with what rendering its fields gives.
CREATE TABLE account (
  id BIGINT PRIMARY KEY,
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

CREATE TABLE revision (
  account_id BIGINT NOT NULL,
  rev BIGINT NOT NULL,
  at BIGINT NOT NULL,
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

CREATE TABLE gateway_schema (version BIGINT PRIMARY KEY);
INSERT INTO gateway_schema VALUES (4);
-- Checksums of records and tokens. Rows of a former release have none.
ALTER TABLE vacancy ADD COLUMN checksum BIGINT;
ALTER TABLE candidate ADD COLUMN checksum BIGINT;
ALTER TABLE token ADD COLUMN checksum BIGINT;

-- The lists of a revision. A former release leaves all of these columns empty. `tag` repeats the one of the account, and
-- the others are those of the revision that last changed the list. A tally is the number of live rows and the sum of
-- their checksums.
ALTER TABLE revision ADD COLUMN tag BIGINT;
ALTER TABLE revision ADD COLUMN candidates_tag BIGINT;
ALTER TABLE revision ADD COLUMN statuses_tag BIGINT;
ALTER TABLE revision ADD COLUMN vacancies_tag BIGINT;
ALTER TABLE revision ADD COLUMN credits_tag BIGINT;
ALTER TABLE revision ADD COLUMN candidates BIGINT;
ALTER TABLE revision ADD COLUMN candidates_sum BIGINT;
ALTER TABLE revision ADD COLUMN vacancies BIGINT;
ALTER TABLE revision ADD COLUMN vacancies_sum BIGINT;
ALTER TABLE revision ADD COLUMN credits_checksum BIGINT;

-- The tallies of the filtered lists, with the name of the status, so that a damaged dictionary is noticed. `total` sums
-- the ids of the candidates modulo 2147483647.
CREATE TABLE status_tally (
  account_id BIGINT NOT NULL,
  vacancy_id BIGINT NOT NULL,
  status TEXT NOT NULL,
  rev_from BIGINT NOT NULL,
  rev_to BIGINT NOT NULL,
  number BIGINT NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (account_id, vacancy_id, status, rev_from)
);
CREATE INDEX status_tally_superseded ON status_tally(account_id, rev_to) WHERE rev_to < 9223372036854775807;

-- The planner needs no statistics of records, and they would keep personal data after an erasure: a statistic has samples.
-- Setting the type again deletes the ones that exist, and rewrites nothing.
ALTER TABLE candidate ALTER record TYPE TEXT, ALTER record SET STATISTICS 0;
ALTER TABLE vacancy ALTER record TYPE TEXT, ALTER record SET STATISTICS 0;

-- The roles that may use the tables may use the new ones too.
DO $$
DECLARE
  allowed record;
BEGIN
  FOR allowed IN
    SELECT DISTINCT n.name, g.privilege_type, g.grantee FROM information_schema.table_privileges g
    JOIN (VALUES ('application', 'status_tally'), ('gateway_schema', 'gateway_addition')) n(model, name)
      ON g.table_name = n.model
    WHERE g.table_schema = current_schema() AND g.grantee <> current_user
      AND g.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  LOOP
    EXECUTE format('GRANT %s ON %I TO %s', allowed.privilege_type, allowed.name,
      CASE allowed.grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE quote_ident(allowed.grantee) END);
  END LOOP;
END $$;
-- The deletions of records. `pending` is 1 until the files hold no trace of the deleted records. The number of a
-- deleted account is found here, so that it is not used again.
CREATE TABLE erasure (
  id BIGINT PRIMARY KEY,
  account_id BIGINT NOT NULL,
  at BIGINT NOT NULL,
  pending BIGINT NOT NULL
);

-- The roles that may use the tables may use the new one too.
DO $$
DECLARE
  allowed record;
BEGIN
  FOR allowed IN
    SELECT DISTINCT n.name, g.privilege_type, g.grantee FROM information_schema.table_privileges g
    JOIN (VALUES ('application', 'erasure')) n(model, name)
      ON g.table_name = n.model
    WHERE g.table_schema = current_schema() AND g.grantee <> current_user
      AND g.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  LOOP
    EXECUTE format('GRANT %s ON %I TO %s', allowed.privilege_type, allowed.name,
      CASE allowed.grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE quote_ident(allowed.grantee) END);
  END LOOP;
END $$;
