-- Each request has a key of its own. wrk says how many answers were something else.
wrk.method = "POST"
wrk.body = '{"order":"1234567","amount":4200,"currency":"EUR","fill":"' .. string.rep("A", 150) .. '"}'
wrk.headers["Content-Type"] = "application/json"
local run = tostring({}):sub(8) .. os.time()
local count = 0
function request()
  count = count + 1
  wrk.headers["Idempotency-Key"] = run .. "-" .. count
  return wrk.format()
end
