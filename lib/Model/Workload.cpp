// Model/Workload
