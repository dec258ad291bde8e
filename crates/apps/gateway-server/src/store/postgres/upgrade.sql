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
    JOIN (VALUES ('status_tally'), ('erasure')) n(name) ON g.table_name = 'application'
    WHERE g.table_schema = current_schema() AND g.grantee <> current_user
      AND g.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  LOOP
    EXECUTE format('GRANT %s ON %I TO %s', allowed.privilege_type, allowed.name,
      CASE allowed.grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE quote_ident(allowed.grantee) END);
  END LOOP;
END $$;
