// Compiled once to make the precompiled header.
