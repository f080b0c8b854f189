// Model/Evaluation
