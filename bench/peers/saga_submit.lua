-- One saga of two HTTP steps, submitted and waited for in one call. Arguments: who takes it (makegood, dtm or restate), the endpoint.
local input = '{"order":"1234567","user":1001,"cents":4200,"currency":"EUR"}'
local makes = {
  makegood = function() return '{"definition":"two","wait":30,"input":' .. input .. '}' end,
  restate = function() return input end,
  -- The id is the caller's; payloads are texts.
  dtm = function(number, endpoint)
    local step = '{"action":"' .. endpoint .. '","compensate":"' .. endpoint .. '"}'
    local payload = '"' .. input:gsub('"', '\\"') .. '"'
    return '{"gid":"' .. run .. "-" .. number .. '","trans_type":"saga","wait_result":true,"steps":[' .. step .. "," .. step ..
      '],"payloads":[' .. payload .. "," .. payload .. "]}"
  end,
}

others = 0
local number = 0
function init(arguments)
  make, endpoint, run = makes[arguments[1]], arguments[2], arguments[3]
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end
function request()
  number = number + 1
  return wrk.format(nil, nil, nil, make(number, endpoint))
end
function response(status, _, body)
  if status ~= 200 or body:find("FAILURE") or body:find("ONGOING") then others = others + 1 end
end

local threads = {}
function setup(thread) table.insert(threads, thread) end
function done(summary, latency)
  local wrong = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do wrong = wrong + thread:get("others") end
  io.write(string.format("figures: %f %f %f %d\n", summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
                         latency:percentile(99) / 1000, wrong))
end
