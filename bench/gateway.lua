-- Sends the requests of a file, each once: six digits of length, then the request as it stands.
-- Without any left the thread stops. With a pause each connection rests so many ms between two.
local file = assert(io.open(os.getenv("BENCH_REQUESTS"), "rb"))
local pause = tonumber(os.getenv("BENCH_PAUSE_MS") or "0")

function request()
  local size = file:read(6)
  if size == nil then
    wrk.thread:stop()
    return "GET /exhausted HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
  end
  return file:read(tonumber(size))
end

if pause > 0 then
  function delay()
    return pause
  end
end
