-- Run after the last record: the indexes for the comparing statements, and the statistics for the planner.
CREATE INDEX staged_vacancy_by_id ON staged_vacancy(id, seq);
CREATE INDEX staged_candidate_by_id ON staged_candidate(id, seq);
CREATE INDEX staged_application_by_id ON staged_application(vacancy_id, candidate_id, seq);
ANALYZE staged_vacancy;
ANALYZE staged_candidate;
ANALYZE staged_application;
