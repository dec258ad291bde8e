-- Run after the last record: the statistics for the planner, but none of the records, which would outlive an erasure. No
-- statement needs an index on the staged records.
ANALYZE staged_vacancy(seq, id);
ANALYZE staged_candidate(seq, id);
ANALYZE staged_application;
