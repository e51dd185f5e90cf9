-- Reads one path after the other; every answer has to be a 200 of the same number of plants.
-- Arguments: token, path in which ID stands for an id, first id, number of ids, their distance, number of plants in an answer.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  token, plants = args[1], tonumber(args[6])
  local path, first, count, distance = args[2], tonumber(args[3]), tonumber(args[4]), tonumber(args[5])
  requests, turn = {}, 0
  for id = first, first + (count - 1) * distance, distance do
    table.insert(requests, "GET " .. path:gsub("ID", string.format("%d", id)) ..
      " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " .. token .. "\r\n\r\n")
  end
  answered, wrong = 0, 0
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function response(status, _, body)
  local _, found = body:gsub('"id":', "")
  if status == 200 and found == plants then answered = answered + 1 else wrong = wrong + 1 end
end

function done(summary, latency)
  local totals = { answered = 0, wrong = 0 }
  for _, thread in ipairs(threads) do
    for name in pairs(totals) do totals[name] = totals[name] + thread:get(name) end
  end
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"answered":%d,"wrong":%d,"failed":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d}\n',
    totals.answered, totals.wrong, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(99)))
end
