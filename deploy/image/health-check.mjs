// Whether the program answers, by default at /healthz: health-check.mjs [PATH [SECONDS TO WAIT]]
import { setTimeout as pause } from 'node:timers/promises'

const [path = '/healthz', waitSeconds = '0'] = process.argv.slice(2)
const { HOST, PORT, MISBEHAVE_PORT } = process.env
const host = HOST && HOST !== '0.0.0.0' ? HOST : '127.0.0.1'
const url = `http://${host}:${MISBEHAVE_PORT || PORT}${path}`
const deadline = Date.now() + Number(waitSeconds) * 1_000

const answers = () =>
  fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

let isUp = await answers()
while (!isUp && Date.now() < deadline) {
  await pause(200)
  isUp = await answers()
}

process.exitCode = isUp ? 0 : 1
