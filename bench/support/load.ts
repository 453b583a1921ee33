// Sends a request repeatedly with a given concurrency and measures each duration.
import { Pool } from 'undici'
import { percentiles } from './percentiles.ts'

/** `{n}` in the path and body is the number of the request, starting at `from`. */
export type Load = {
  origin: string
  method?: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  from?: number
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

async function run({
  origin,
  method = 'POST',
  path,
  headers,
  body,
  from: first = 0,
  count,
  atOnce,
}: Load): Promise<LoadResult> {
  const pool = new Pool(origin, { connections: atOnce })
  const times: number[] = []
  let left = count
  const one = async () => {
    while (left-- > 0) {
      const number = String(first + left)
      const request = { method, path: path.replace('{n}', number), headers, body: body?.replace('{n}', number) ?? null }
      const from = performance.now()
      const answer = await pool.request(request)
      // By default, `dump` closes the connection after 128 kB.
      await answer.body.dump({ limit: 2 ** 30 })
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
