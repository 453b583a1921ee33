// Every secret of a run is a canary: it may appear only in the places listed below, in any encoding.
import { Redis } from 'ioredis'
import type pg from 'pg'
import type { RecordedAnswer } from './recorders.ts'

/** Marked values are found by their mark; other secrets are passed by value. */
const marks = {
  'refresh token': 'CANARY-RT-',
  'access token': 'CANARY-AT-',
  'authorization code': 'CANARY-CODE-',
  'client secret': 'CANARY-CLIENT-SECRET-',
  'platform key': 'CANARY-PLATFORM-KEY',
} as const

type SecretName =
  | keyof typeof marks
  | 'api key'
  | 'connect token'
  | 'state'
  | 'PKCE verifier'
  | 'browser secret'
  | 'completion verifier'
  | 'completion code'

export type KnownSecret = { name: SecretName; value: string }

export type Text = { place: string; text: string }

/** Allowed places, with the reason. Any other place is a leak. */
const allowedPlaces: ReadonlyArray<{ secret: SecretName; place: RegExp; because: string }> = [
  {
    secret: 'connect token',
    place: /^answer to POST \/api\/v1\/(connect-sessions|connections\/\w+\/relink-sessions|campaigns): body$/,
    because: 'the tenant asked for the address, and gets it once',
  },
  {
    secret: 'state',
    place: /^answer to POST \/connect\/…: (header refresh|body)$/,
    because: 'the browser takes it to the provider; its page holds the same link to press',
  },
  {
    secret: 'state',
    place: /^answer to GET \/links\/…\/consent: (header location|body)$/,
    because: 'the same, when consent is asked for once more; a redirect’s body repeats its address',
  },
  {
    secret: 'browser secret',
    place: /^answer to (POST \/connect\/…|GET \/links\/…(\/consent)?(\?[^:]*)?): header set-cookie$/,
    because: 'it is the cookie, whose time begins anew for the browser that has it',
  },
  {
    secret: 'state',
    place: /^answer to GET \/support\/sign-in\/start: (header location|body)$/,
    because: 'people of the support console take it to the issuer in the same way',
  },
  {
    secret: 'browser secret',
    place: /^answer to (GET|POST) \/support([/?][^:]*)?: header set-cookie$/,
    because: 'it is the signature of the console’s cookie, which every answer prolongs',
  },
  {
    secret: 'completion code',
    place: /^answer to GET \/oauth\/callback\/…: header location$/,
    because: 'the browser takes it to the tenant, who must show it to complete',
  },
  {
    secret: 'refresh token',
    place: /^request to platform (POST|PUT) \/v0\/integrations\/connections(\/[\w-]+)?: spec\.secret$/,
    because: 'this is where it was wanted',
  },
  {
    secret: 'client secret',
    place: /^request to platform (POST|PUT) \/v0\/integrations\/connections(\/[\w-]+)?: spec\.secret$/,
    because: 'the platform refreshes with it',
  },
]

/** Returns one line per leak. */
export function leaks(secrets: readonly KnownSecret[], texts: readonly Text[]): string[] {
  const marked = Object.entries(marks).map(([name, value]) => ({ name: name as SecretName, value }))
  const needles = new Map([...marked, ...secrets].map((each) => [`${each.name} ${each.value}`, each]))
  // Leaks are rare, so all texts are searched at once first.
  const everything = texts.map(({ text }) => text).join('\n')
  const known = new Map<string, boolean>()
  const isThere = (wanted: string) => {
    const found = known.get(wanted) ?? everything.includes(wanted)
    known.set(wanted, found)
    return found
  }
  return [...needles.values()].flatMap(({ name, value }) =>
    Object.entries(formsOf(value)).flatMap(([form, wanted]) => {
      const found = wanted.filter(isThere)
      if (found.length === 0) return []
      return texts
        .filter(({ place, text }) => found.some((each) => text.includes(each)) && !isAllowed(name, place))
        .map(({ place }) => `${name} (${form}) in ${place}`)
    }),
  )
}

const isAllowed = (secret: SecretName, place: string) =>
  allowedPlaces.some((allowed) => allowed.secret === secret && allowed.place.test(place))

export function formsOf(value: string): Record<string, string[]> {
  const hex = Buffer.from(value).toString('hex')
  const base64 = [0, 1, 2].map((shift) => base64Inside(value, shift))
  return {
    raw: [value],
    'URL-encoded': [encodeURIComponent(value), encodeURIComponent(encodeURIComponent(value))],
    base64,
    base64url: base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    hex: [hex, hex.toUpperCase()],
  }
}

/** The value inside a longer base64 text: edge characters also encode neighboring bits. */
function base64Inside(value: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)])
  return bytes.toString('base64').slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** Uses the route pattern, because a path may contain the token itself. */
export function answerTexts(answers: readonly RecordedAnswer[]): Text[] {
  return answers.flatMap(({ method, path, headers, body }) => {
    const place = `answer to ${method} ${shapeOf(path)}`
    const fields = Object.entries(headers).map(([name, value]) => ({
      place: `${place}: header ${name}`,
      text: String(value),
    }))
    return [...fields, { place: `${place}: body`, text: body }]
  })
}

const shapeOf = (path: string) => path.replace(/^\/(connect|links|oauth\/callback)\/[^/]+/, '/$1/…')

type PlatformRequest = { method: string; path: string; body?: { spec?: { secret?: unknown } } | undefined }

export function platformTexts(requests: readonly PlatformRequest[]): Text[] {
  return requests.flatMap(({ method, path, body }) => {
    const { secret, ...spec } = body?.spec ?? {}
    const place = `request to platform ${method} ${path}`
    return [
      { place: `${place}: spec.secret`, text: JSON.stringify(secret ?? '') },
      { place: `${place}: the rest`, text: JSON.stringify({ ...body, spec }) + path },
    ]
  })
}

export async function redisTexts(url: string): Promise<Text[]> {
  const redis = new Redis(url)
  try {
    const texts: Text[] = []
    for (let cursor = '0', first = true; first || cursor !== '0'; first = false) {
      const [next, keys] = await redis.scan(cursor, 'COUNT', 500)
      const values = await Promise.all(keys.map((key) => readKey(redis, key)))
      texts.push(...keys.map((key, at) => ({ place: 'redis', text: `${key} ${JSON.stringify(values[at])}` })))
      cursor = next
    }
    return texts
  } finally {
    redis.disconnect()
  }
}

/** By type, not by DUMP, which compresses long values. */
async function readKey(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key)
  if (type === 'string') return redis.get(key)
  if (type === 'hash') return redis.hgetall(key)
  if (type === 'list') return redis.lrange(key, 0, -1)
  if (type === 'set') return redis.smembers(key)
  if (type === 'zset') return redis.zrange(key, 0, -1)
  if (type === 'stream') return redis.xrange(key, '-', '+')
  return undefined
}

/**
 * Reads only rows written since the last call, by transaction ID: an older row cannot hold a newer secret. Rows of open
 * transactions are read again.
 */
export function postgresReader(sql: pg.Pool): () => Promise<Text[]> {
  let since = '0'
  let everyTable: string | undefined
  return async () => {
    everyTable ??= await rowsOfEveryTable(sql)
    const { rows } = await sql.query<Text>(everyTable, [since])
    since = rows.find(({ place }) => place === underWay)?.text ?? since
    return rows
  }
}

const underWay = 'the oldest transaction under way'

async function rowsOfEveryTable(sql: pg.Pool): Promise<string> {
  const { rows: tables } = await sql.query("select tablename from pg_tables where schemaname = 'public'")
  return [
    `select '${underWay}' as place, pg_snapshot_xmin(pg_current_snapshot())::text as text`,
    ...tables.map(
      ({ tablename }) =>
        `select 'postgres ${tablename}', row_to_json(t)::text from "${tablename}" t where t.xmin::text::bigint >= $1`,
    ),
  ].join(' union all ')
}
