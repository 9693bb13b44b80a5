// A precompiled header belongs to something that is compiled.
