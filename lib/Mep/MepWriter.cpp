// Mep/MepWriter
