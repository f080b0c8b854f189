// Workload/WorkloadInference
