-- Run after the last record: the statistics for the planner. No statement needs an index on the staged records.
ANALYZE staged_vacancy;
ANALYZE staged_candidate;
ANALYZE staged_application;
