-- Starts an execution and waits for its end, in one call. The argument is the definition; each id is drawn by the server.
function init(arguments)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = '{"definition":"' .. arguments[1] .. '","wait":30,"input":{"order":"1234567","user":1001,"cents":4200,"currency":"EUR"}}'
end

local threads = {}
function setup(thread) table.insert(threads, thread) end

others = 0
function response(status) if status ~= 200 then others = others + 1 end end

function done(summary, latency)
  local wrong = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do wrong = wrong + thread:get("others") end
  io.write(string.format("figures: %f %f %f %d\n", summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
                         latency:percentile(99) / 1000, wrong))
end
