-- One create a request, each with an id of its own; every answer is checked.
-- Arguments: token, first number, number of slots (0: the number is the id), distance of slots.

local body_of_answer = '{"name":"Monstera deliciosa","tag":"houseplant"}'
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  token, number, slots, spacing = args[1], tonumber(args[2]), tonumber(args[3]), tonumber(args[4])
  answered, wrong, refused = 0, 0, 0
  head = "POST /plants HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " .. token ..
    "\r\nContent-Type: application/json\r\nContent-Length: "
end

function request()
  local id = number
  -- The factor and a power of ten have no common divisor, so 10,000 numbers or more have different slots, far from each other.
  if slots > 0 then id = number * 7654321 % slots * spacing + 1 + math.floor(number / 10000) end
  number = number + 1
  local body = string.format('{"id":%d,"name":"Monstera deliciosa","tag":"houseplant"}', id)
  return head .. #body .. "\r\n\r\n" .. body
end

function response(status, _, body)
  if status == 200 and body == body_of_answer then
    answered = answered + 1
  elseif status == 503 then
    refused = refused + 1
  else
    wrong = wrong + 1
  end
end

function done(summary, latency)
  local totals = { answered = 0, wrong = 0, refused = 0 }
  for _, thread in ipairs(threads) do
    for name in pairs(totals) do totals[name] = totals[name] + thread:get(name) end
  end
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"answered":%d,"wrong":%d,"refused":%d,"failed":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d}\n',
    totals.answered, totals.wrong, totals.refused, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(99)))
end
