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
