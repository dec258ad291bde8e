-- Run after the last record: the indexes for the comparing statements.
CREATE INDEX temp.staged_vacancy_by_id ON staged_vacancy(id, seq);
CREATE INDEX temp.staged_candidate_by_id ON staged_candidate(id, seq);
CREATE INDEX temp.staged_application_by_id ON staged_application(vacancy_id, candidate_id, seq);
