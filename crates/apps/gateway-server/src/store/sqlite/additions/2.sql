-- The deletions of records. `pending` is 1 until the files hold no trace of the deleted records. The number of a
-- deleted account is found here, so that it is not used again.
CREATE TABLE erasure (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  pending INTEGER NOT NULL
) STRICT;
