-- One plan that suits every filter and every page would read far too much for most of them. And what operators look at
-- must not take the server's workers from those who serve the business.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('max_parallel_workers_per_gather', '0', true)
