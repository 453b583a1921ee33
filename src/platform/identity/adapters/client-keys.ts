import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { maxEntries } from '../../../kit/cache/ttl-cache.ts'
import { type GuardedFetch, guardedFetch } from '../../../kit/fetch/guarded-fetch.ts'

const KeySet = z.object({ keys: z.array(z.looseObject({ kid: z.string().optional() })).max(50) })
type Keys = z.infer<typeof KeySet>['keys']

type Entry = { askedAt: number; goodUntil: number; keys: Keys | undefined }

const goodMs = 600_000
const pauseMs = 15_000

export type ClientKeys = ReturnType<typeof clientKeys>

export const fetchClientKeys = ({ allow }: { allow: readonly string[] }) =>
  guardedFetch({ allow, timeoutMs: 3_000, maxBytes: 64 * 1024 })

/**
 * The keys at a client's `jwks_uri`. An unknown key or a failure triggers a new request, at most one in 15 seconds for
 * a URI, because every caller can send assertions that name it.
 */
export function clientKeys(
  call: Pick<GuardedFetch, 'close'> & ((uri: string) => ReturnType<GuardedFetch>),
  now: () => Date,
) {
  const entries = new LRUCache<string, Promise<Entry>>(maxEntries(1_000))
  const ask = async (uri: string, previous: Entry | undefined): Promise<Entry> => {
    const askedAt = now().getTime()
    const keys = await read(uri).catch(() => undefined)
    if (keys) return { askedAt, goodUntil: askedAt + goodMs, keys }
    // A server that is down must not end a client whose keys are known.
    return { goodUntil: 0, keys: undefined, ...previous, askedAt }
  }
  const read = async (uri: string): Promise<Keys | undefined> => {
    const { status, body } = await call(uri)
    return status === 200 ? KeySet.safeParse(JSON.parse(body.toString())).data?.keys : undefined
  }
  const entryFor = async (uri: string, kid: unknown): Promise<Entry> => {
    const current = entries.get(uri)
    const known = await current
    const at = now().getTime()
    if (known && (at < known.askedAt + pauseMs || (at < known.goodUntil && names(known, kid)))) return known
    const other = entries.get(uri)
    if (other && other !== current) return other
    const next = ask(uri, known)
    entries.set(uri, next)
    return next
  }
  return {
    async find(uri: string, kid: unknown): Promise<Keys | undefined> {
      const { keys, goodUntil } = await entryFor(uri, kid)
      return now().getTime() < goodUntil ? keys : undefined
    },
    close: call.close,
  }
}

const names = ({ keys }: Entry, kid: unknown) => kid === undefined || keys?.some((key) => key.kid === kid)
