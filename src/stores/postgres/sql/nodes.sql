-- name: node_beat
-- Node $1 is there and owns $2 lanes. Those that have said nothing for 15 s, or something in the future, are forgotten;
-- another node may be about to forget the same. Answers who is there.
WITH
  said AS (
    INSERT INTO {schema}makegood_node (node, lanes, seen_at) VALUES ($1, $2, clock_timestamp())
    ON CONFLICT (node) DO UPDATE SET lanes = excluded.lanes, seen_at = excluded.seen_at
  ),
  forgotten AS (
    DELETE FROM {schema}makegood_node WHERE node IN (
      SELECT node FROM {schema}makegood_node
      WHERE node <> $1 AND abs(date_part('epoch', clock_timestamp() - seen_at)) > 15 FOR UPDATE SKIP LOCKED)
  )
SELECT $1, $2
UNION ALL
SELECT node, lanes FROM {schema}makegood_node
WHERE node <> $1 AND abs(date_part('epoch', clock_timestamp() - seen_at)) <= 15

-- name: node_leave
DELETE FROM {schema}makegood_node WHERE node = $1
