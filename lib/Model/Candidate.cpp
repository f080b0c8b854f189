// Model/Candidate
