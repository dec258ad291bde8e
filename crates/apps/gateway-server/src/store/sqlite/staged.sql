-- Run after the last record: the order in which the statuses are inserted. It contains all columns of the insertion, so
-- that no row is looked up.
CREATE INDEX temp.staged_application_in_order ON staged_application(vacancy_id, candidate_id, seq, status_key);
