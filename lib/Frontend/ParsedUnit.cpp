// Frontend/ParsedUnit
