    SELECT message.*, parked.attempts, parked.changed_at, parked.due_at, parked.last_error,
      EXISTS (SELECT 1 FROM under_way WHERE message.sequence BETWEEN low AND high) AS is_in_hole,
      CASE
        WHEN is_dead THEN 'dead'
        WHEN is_quarantined THEN 'quarantined'
        WHEN EXISTS (SELECT 1 FROM under_way WHERE message.sequence BETWEEN low AND high) OR is_under_way THEN 'leased'
        WHEN message.sequence > coalesce((SELECT reached FROM last), 0) THEN 'pending'
        WHEN EXISTS (SELECT 1 FROM open WHERE message.sequence BETWEEN low AND high) OR is_waiting THEN 'pending'
        -- Of the side lanes whose scope holds a delivery, the innermost carries it.
        WHEN EXISTS (
          SELECT 1 FROM side
          WHERE message.sequence > side.reached
            AND (side.tenant_id IS NULL OR side.tenant_id = message.tenant_id)
            AND (side.dispatch_key IS NULL OR side.dispatch_key = message.dispatch_key)
            AND (side.priority IS NULL
                 OR (coalesce(message.dispatch_key, '') = '' AND side.priority = message.priority))
            AND NOT EXISTS (
              SELECT 1 FROM side AS within
              WHERE within.destination = side.destination AND within.depth > side.depth
                AND (within.tenant_id IS NULL OR within.tenant_id = message.tenant_id)
                AND (within.dispatch_key IS NULL OR within.dispatch_key = message.dispatch_key)
                AND (within.priority IS NULL
                     OR (coalesce(message.dispatch_key, '') = '' AND within.priority = message.priority)))
