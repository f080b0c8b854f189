// Closure/Fidelity
