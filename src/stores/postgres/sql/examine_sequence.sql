-- More than one number at a time is drawn where somebody has given the sequence a cache.
SELECT seqcache FROM pg_sequence WHERE seqrelid = to_regclass($1)
