-- A wrk script: requests each line of a file as a path, once and in order, and prints the results as one line of JSON.
local threads = {}
local paths

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  exhausted = false
  if args[1] then
    paths = io.lines(args[1])
  end
end

function request()
  if paths then
    local path = paths()
    if path then
      wrk.path = path
    else
      -- From here on the last path repeats, and the caller discards the results.
      paths = nil
      exhausted = true
    end
  end
  return wrk.format()
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout
  local ran_out = false
  for _, thread in ipairs(threads) do
    ran_out = ran_out or thread:get('exhausted')
  end
  io.write(string.format(
    '\n{"requests":%d,"bytes":%d,"us":%d,"failed":%d,"refused":%d,"ranOut":%s,"p50":%d,"p95":%d,"p99":%d}\n',
    summary.requests, summary.bytes, summary.duration, failed, errors.status, tostring(ran_out),
    latency:percentile(50), latency:percentile(95), latency:percentile(99)))
end
