-- name: saga_views
-- Executions in the words of another system's tables. A view reads the journals of the executions that it is asked for, and nothing else.
--
-- One row per record of a journal, in their order by `number`.
CREATE VIEW "{outbox}_record" AS
SELECT
  j.execution, j.revision,
  j.revision * 16384 + r.key + 1 AS number,
  coalesce(json_extract(r.value, '$.kind'), '') AS kind,
  strftime('%Y-%m-%d %H:%M:%f', json_extract(r.value, '$.at') / 1000000.0, 'unixepoch') AS at,
  coalesce(json_extract(r.value, '$.step'), '') AS step,
  coalesce(json_extract(r.value, '$.direction'), 'action') AS direction,
  coalesce(json_extract(r.value, '$.outcome'), 'ok') AS outcome,
  coalesce(json_extract(r.value, '$.code'), '') AS code,
  coalesce(json_extract(r.value, '$.error'), '') AS error,
  coalesce(json_extract(r.value, '$.body'), '') AS body,
  coalesce(json_extract(r.value, '$.operator'), '') AS operator,
  coalesce(json_extract(r.value, '$.reason'), '') AS reason,
  json_extract(r.value, '$.version') AS version,
  json_extract(r.value, '$.request') AS request
FROM "{outbox}_journal" AS j, json_each(CAST(j.records AS TEXT)) AS r;

-- The steps of all versions.
CREATE VIEW "{outbox}_defined_step" AS
SELECT
  d.name, d.version,
  json_extract(s.value, '$.name') AS step,
  json_extract(s.value, '$.action.uri') AS action,
  json_extract(s.value, '$.compensation.uri') AS compensation
FROM "{outbox}_definition" AS d, json_each(d.document, '$.steps') AS s;

-- One row per step that was begun, asked about or left out.
CREATE VIEW "{outbox}_step" AS
SELECT
  l.sequence AS execution,
  l.sequence * 268435456 + step.number AS id,
  l.event_id AS execution_id,
  step.step AS step_id,
  coalesce(defined.action, step.step) AS component_name,
  (SELECT CASE
            WHEN last.kind = 'skipped' THEN 'SKIPPED'
            WHEN last.kind IN ('answered', 'resolved') AND last.outcome = 'ok' THEN 'COMPLETED'
            WHEN last.kind = 'resolved' AND last.outcome = 'retry' THEN 'COMPLETED'
            WHEN last.kind IN ('answered', 'resolved') OR (last.kind = 'decided' AND last.outcome <> 'ok') THEN 'FAILED'
            ELSE 'RUNNING'
          END
   FROM "{outbox}_record" AS last
   WHERE last.execution = step.execution AND last.step = step.step
     AND (last.direction = 'action' AND last.kind IN ('started', 'accepted', 'answered', 'lost', 'asked', 'decided', 'skipped', 'resolved')
          OR last.direction = 'check' AND last.kind = 'answered' AND last.outcome = 'ok')
   ORDER BY last.number DESC LIMIT 1) AS status,
  coalesce((SELECT sent.body FROM "{outbox}_record" AS sent
            WHERE sent.execution = step.execution AND sent.step = step.step AND sent.direction = 'action' AND sent.kind = 'started'
              AND sent.body <> ''
            ORDER BY sent.number LIMIT 1), l.payload) AS input_data,
  (SELECT done.body FROM "{outbox}_record" AS done
   WHERE done.execution = step.execution AND done.step = step.step AND done.direction <> 'compensation'
     AND done.kind IN ('answered', 'resolved') AND done.outcome = 'ok' AND done.body <> ''
   ORDER BY done.number DESC LIMIT 1) AS output_data,
  defined.compensation AS compensate_component,
  defined.compensation IS NOT NULL AS needs_compensation,
  (SELECT nullif(last.code, '') FROM "{outbox}_record" AS last
   WHERE last.execution = step.execution AND last.step = step.step AND last.direction = 'action'
     AND last.kind IN ('started', 'answered', 'lost')
   ORDER BY last.number DESC LIMIT 1) AS error_code,
  (SELECT nullif(last.error, '') FROM "{outbox}_record" AS last
   WHERE last.execution = step.execution AND last.step = step.step AND last.direction = 'action'
     AND last.kind IN ('started', 'answered', 'lost')
   ORDER BY last.number DESC LIMIT 1) AS error_message,
  NULL AS stack_trace,
  (SELECT min(begun.at) FROM "{outbox}_record" AS begun
   WHERE begun.execution = step.execution AND begun.step = step.step AND begun.direction = 'action'
     AND begun.kind = 'started') AS executed_at,
  (SELECT max(undone.at) FROM "{outbox}_record" AS undone
   WHERE undone.execution = step.execution AND undone.step = step.step
     AND (undone.direction = 'compensation' AND undone.kind = 'answered' AND undone.outcome = 'ok'
          OR undone.kind = 'resolved' AND undone.outcome = 'retry')) AS compensated_at
FROM "{outbox}" AS l
JOIN "{outbox}_record" AS step ON step.execution = l.sequence
LEFT JOIN "{outbox}_defined_step" AS defined
  ON defined.name = l.topic AND defined.step = step.step
     AND defined.version = (SELECT named.version FROM "{outbox}_record" AS named
                            WHERE named.execution = l.sequence AND named.kind IN ('begun', 'repinned')
                            ORDER BY named.number DESC LIMIT 1)
WHERE substr(l.topic, 1, 9) <> 'makegood.'
  AND step.step <> '' AND step.direction = 'action' AND step.kind IN ('started', 'asked', 'skipped', 'resolved')
  AND NOT EXISTS (SELECT 1 FROM "{outbox}_record" AS earlier
                  WHERE earlier.execution = step.execution AND earlier.step = step.step AND earlier.direction = 'action'
                    AND earlier.kind IN ('started', 'asked', 'skipped', 'resolved') AND earlier.number < step.number);

CREATE VIEW "{outbox}_step_execution" AS
SELECT id, execution_id, step_id, component_name, status, input_data, output_data, compensate_component, needs_compensation, error_code,
       error_message, stack_trace, executed_at, compensated_at
FROM "{outbox}_step";

CREATE VIEW "{outbox}_execution" AS
SELECT
  l.sequence AS id,
  l.event_id AS execution_id,
  l.tenant_id,
  l.topic AS chain_name,
  CASE coalesce(e.state, w.state)
    WHEN 'completed' THEN 'COMPLETED'
    WHEN 'failed' THEN 'FAILED'
    WHEN 'compensated' THEN 'COMPENSATED'
    WHEN 'cancelled' THEN 'COMPENSATED'
    WHEN 'compensating' THEN 'COMPENSATING'
    WHEN 'manual' THEN 'MANUAL_INTERVENTION'
    WHEN 'paused' THEN 'MANUAL_INTERVENTION'
    WHEN 'pending' THEN 'PENDING'
    ELSE CASE
      WHEN NOT EXISTS (SELECT 1 FROM "{outbox}_journal" AS j WHERE j.execution = l.sequence) THEN 'PENDING'
      WHEN EXISTS (SELECT 1 FROM "{outbox}_record" AS back WHERE back.execution = l.sequence AND back.kind = 'turned_back')
        THEN 'COMPENSATING'
      ELSE 'RUNNING'
    END
  END AS status,
  max((SELECT count(DISTINCT step.step) FROM "{outbox}_record" AS step
       WHERE step.execution = l.sequence AND step.step <> '' AND step.direction = 'action'
         AND step.kind IN ('started', 'asked', 'skipped', 'resolved')) - 1, 0) AS current_step_index,
  nullif(coalesce(nullif(e.code, '') || ': ', nullif(w.code, '') || ': ', '') || coalesce(e.error, w.error, ''), '') AS failure_reason,
  l.payload AS input_data,
  nullif(e.output, '') AS output_data,
  (SELECT json_group_array(json_object('stepId', done.step_id, 'component', done.component_name,
                                       'output', json(coalesce(done.output_data, 'null')), 'compensatedAt', done.compensated_at))
   FROM (SELECT * FROM "{outbox}_step" AS s WHERE s.execution = l.sequence AND s.status = 'COMPLETED' ORDER BY s.id) AS done)
    AS execution_stack,
  strftime('%Y-%m-%d %H:%M:%f', coalesce(e.started_at, w.started_at, l.created_at) / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%d %H:%M:%f', e.ended_at / 1000.0, 'unixepoch') AS completed_at,
  strftime('%Y-%m-%d %H:%M:%f', l.created_at / 1000.0, 'unixepoch') AS created_at,
  coalesce((SELECT max(changed.at) FROM "{outbox}_record" AS changed WHERE changed.execution = l.sequence),
           strftime('%Y-%m-%d %H:%M:%f', l.created_at / 1000.0, 'unixepoch')) AS updated_at,
  coalesce((SELECT max(j.revision) FROM "{outbox}_journal" AS j WHERE j.execution = l.sequence), 1) AS version
FROM "{outbox}" AS l
LEFT JOIN "{outbox}_end" AS e ON e.execution = l.sequence
LEFT JOIN "{outbox}_waiting" AS w ON w.execution = l.sequence
WHERE substr(l.topic, 1, 9) <> 'makegood.';

-- One row per answer to a compensation, and per step that an operator has called undone.
CREATE VIEW "{outbox}_compensation_log" AS
SELECT
  l.sequence * 268435456 + undone.number AS id,
  l.event_id AS execution_id,
  undone.step AS step_id,
  coalesce(defined.compensation, undone.step) AS compensate_component,
  CASE
    WHEN undone.kind = 'resolved' OR undone.outcome = 'ok' AND undone.kind = 'answered' THEN 'SUCCESS'
    WHEN undone.kind = 'given_up' THEN 'SKIPPED'
    ELSE 'FAILED'
  END AS status,
  nullif(undone.error, '') AS error_message,
  undone.at AS compensated_at,
  CASE WHEN undone.operator <> '' THEN undone.operator
       ELSE (SELECT nullif(asked.operator, '') FROM "{outbox}_record" AS asked
             WHERE asked.execution = undone.execution AND asked.kind IN ('turned_back', 'reopened') AND asked.number < undone.number
             ORDER BY asked.number DESC LIMIT 1)
  END AS operator,
  CASE WHEN undone.operator <> ''
            OR (SELECT asked.operator FROM "{outbox}_record" AS asked
                WHERE asked.execution = undone.execution AND asked.kind IN ('turned_back', 'reopened')
                  AND asked.number < undone.number
                ORDER BY asked.number DESC LIMIT 1) <> '' THEN 'MANUAL' ELSE 'AUTO' END AS operation_type
FROM "{outbox}" AS l
JOIN "{outbox}_record" AS undone ON undone.execution = l.sequence
LEFT JOIN "{outbox}_defined_step" AS defined
  ON defined.name = l.topic AND defined.step = undone.step
     AND defined.version = (SELECT named.version FROM "{outbox}_record" AS named
                            WHERE named.execution = l.sequence AND named.kind IN ('begun', 'repinned')
                            ORDER BY named.number DESC LIMIT 1)
WHERE substr(l.topic, 1, 9) <> 'makegood.'
  AND (undone.direction = 'compensation' AND undone.kind IN ('answered', 'lost') OR undone.kind = 'given_up'
       OR undone.kind = 'resolved' AND undone.outcome = 'retry');

-- One row per request of an operator that was carried out.
CREATE VIEW "{outbox}_manual_intervention" AS
SELECT
  l.sequence * 268435456 + wish.number AS id,
  l.event_id AS execution_id,
  CASE
    WHEN wish.kind = 'turned_back' THEN 'COMPENSATE'
    WHEN wish.kind = 'skipped' THEN 'SKIP'
    WHEN wish.kind IN ('round_begun', 'reopened') OR wish.kind = 'resumed' AND wish.step <> '' THEN 'RETRY'
    ELSE 'CONTINUE'
  END AS intervention_type,
  CASE
    WHEN wish.kind = 'turned_back' THEN CASE WHEN wish.code = 'TX.CANCELLED' THEN 'cancel' ELSE 'compensate' END
    WHEN wish.kind = 'skipped' THEN 'skip'
    WHEN wish.kind = 'decided' THEN CASE WHEN wish.outcome = 'ok' THEN 'approve' ELSE 'reject' END
    WHEN wish.kind = 'resolved'
      THEN CASE wish.outcome WHEN 'ok' THEN 'done' WHEN 'retry' THEN 'undone' ELSE 'not_done' END
    WHEN wish.kind IN ('round_begun', 'reopened') OR wish.step <> '' THEN 'retry'
    ELSE 'resume'
  END AS decision,
  nullif(wish.reason, '') AS reason,
  wish.operator AS operator,
  wish.at AS operated_at,
  nullif(wish.body, '') AS input_data
FROM "{outbox}" AS l
JOIN "{outbox}_record" AS wish ON wish.execution = l.sequence
WHERE substr(l.topic, 1, 9) <> 'makegood.'
  AND wish.operator <> ''
  AND wish.kind IN ('turned_back', 'skipped', 'decided', 'resolved', 'round_begun', 'reopened', 'resumed')
  AND NOT (wish.kind IN ('resumed', 'reopened')
           AND EXISTS (SELECT 1 FROM "{outbox}_record" AS better
                       WHERE better.execution = wish.execution AND better.request = wish.request AND better.operator <> ''
                         AND better.kind IN ('turned_back', 'skipped', 'decided', 'resolved', 'round_begun')))
  AND NOT (wish.kind = 'resumed'
           AND EXISTS (SELECT 1 FROM "{outbox}_record" AS better
                       WHERE better.execution = wish.execution AND better.request = wish.request AND better.kind = 'reopened'));
