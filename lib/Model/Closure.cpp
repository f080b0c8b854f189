// Model/Closure
