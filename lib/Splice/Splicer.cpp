// Splice/Splicer
