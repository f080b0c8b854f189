// Optimize/Optimizer
