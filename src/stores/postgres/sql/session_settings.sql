-- Our statements are made for their indexes; a plan from when a table was empty must not stay when it is full. Only for speed: a
-- session behind a pooler goes without.
SET jit = off;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET plan_cache_mode = force_generic_plan;
