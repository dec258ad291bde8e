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
