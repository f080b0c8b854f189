// Evaluate/Worker
