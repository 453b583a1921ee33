// Browsers that start a link, skip the consent and return: two requests per link, a few links at a time.
import { Pool } from 'undici'

export type LinkRequests = {
  origin: string
  /** The start path of each link. */
  starts: string[]
  callbackPath: string
}

type LoadResult = {
  links: number
  seconds: number
  startMs: number[]
  callbackMs: number[]
  /** Sum of both requests of a link. */
  linkMs: number[]
  failed: number
}

export async function runLinks(
  { origin, starts, callbackPath }: LinkRequests,
  concurrency: number,
): Promise<LoadResult> {
  const pool = new Pool(origin, { connections: concurrency })
  const result: LoadResult = { links: 0, seconds: 0, startMs: [], callbackMs: [], linkMs: [], failed: 0 }
  const queue = [...starts]
  const begun = performance.now()
  const browser = async () => {
    for (let path = queue.pop(); path; path = queue.pop()) await oneLink(pool, origin, path, callbackPath, result)
  }
  await Promise.all(Array.from({ length: concurrency }, browser))
  result.seconds = (performance.now() - begun) / 1_000
  await pool.close()
  return result
}

async function oneLink(pool: Pool, origin: string, path: string, callbackPath: string, result: LoadResult) {
  const startedAt = performance.now()
  const started = await pool.request({ method: 'POST', path, headers: { origin } })
  await started.body.dump()
  result.startMs.push(performance.now() - startedAt)
  const target = String(started.headers.location ?? started.headers.refresh ?? '')
  const state = /[?&]state=([^&]+)/.exec(target)?.[1]
  const cookie = [started.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ')
  const cameBackAt = performance.now()
  const back = await pool.request({
    method: 'GET',
    path: `${callbackPath}?code=code-${state}&state=${state}`,
    headers: { cookie },
  })
  await back.body.dump()
  const endedAt = performance.now()
  result.callbackMs.push(endedAt - cameBackAt)
  result.linkMs.push(endedAt - startedAt)
  const linked = back.statusCode < 400 && String(back.headers.location).includes('status=linked')
  if (linked) result.links++
  else result.failed++
}
