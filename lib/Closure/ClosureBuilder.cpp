// Closure/ClosureBuilder
