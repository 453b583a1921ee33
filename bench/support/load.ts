// Sends one request again and again, so many at a time, and tells how long each took.
import { Pool } from 'undici'
import { percentiles } from './percentiles.ts'

export type Load = {
  origin: string
  path: string
  headers: Record<string, string>
  body: string
  count: number
  atOnce: number
}

export type LoadResult = { perSecond: number; p50: number; p95: number; p99: number }

process.on('message', (load: Load) => {
  run(load).then(
    (result) => process.send?.(result),
    (error: Error) => process.send?.({ error: error.message }),
  )
})
process.once('disconnect', () => process.exit(0))

async function run({ origin, path, headers, body, count, atOnce }: Load): Promise<LoadResult> {
  const pool = new Pool(origin, { connections: atOnce })
  const times: number[] = []
  let left = count
  const one = async () => {
    while (left-- > 0) {
      const from = performance.now()
      const answer = await pool.request({ method: 'POST', path, headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
      times.push(performance.now() - from)
    }
  }
  const from = performance.now()
  await Promise.all(Array.from({ length: atOnce }, one))
  const perSecond = (count * 1000) / (performance.now() - from)
  await pool.close()
  return { perSecond, ...percentiles(times) }
}
