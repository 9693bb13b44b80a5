-- A call of the enqueue route: one small message. wrk says how many answers were something else.
wrk.method = "POST"
wrk.body = '{"topic":"bench.evt","dispatch_key":"order-1234567","payload":{"order":"1234567","amount":4200,"currency":"EUR","fill":"'
  .. string.rep("A", 150) .. '"}}'
wrk.headers["Content-Type"] = "application/json"
