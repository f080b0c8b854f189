// Pipeline/Pipeline
