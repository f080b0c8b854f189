// Workload/Resolve
