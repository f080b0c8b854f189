// Model/Result
