-- A wrk script for 32 connections: reads pages of different sizes and positions, at the given rate per second in total.
local pause = 0
local requests = 0

function init(args)
  pause = 32 * 1000 / tonumber(args[1])
end

function delay()
  return pause
end

function request()
  requests = requests + 1
  return wrk.format('GET', '/public/dataset?limit=' .. (20 + requests % 80) .. '&skip=' .. (requests * 7 % 700))
end
