-- Takings since somebody last said more than that.
SELECT count(*) FROM {outbox}_turn
WHERE lane = 0 AND turn > coalesce(
  (SELECT turn FROM {outbox}_turn WHERE lane = 0 AND NOT is_taking ORDER BY turn DESC LIMIT 1), 0)
