-- The last number that was drawn.
SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {outbox}_number
