// Cases 53, 54 and 60 of the attack catalogue: forged tokens, wrong claims, secrets in logs.

import { execFile, spawn } from 'node:child_process'
import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { exportSPKI, importJWK, type JWK, SignJWT } from 'jose'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectionRecorder } from '../support/oracles/recorders.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { bundled } from '../support/processes/bundled-programs.ts'
import { createTestDatabase } from '../support/processes/stores.ts'
import { samples } from '../support/worlds/platform-samples.ts'
import { keysOf, platformWorld } from '../support/worlds/platform-world.ts'

const issuer = 'http://127.0.0.1:3100'

const world = await platformWorld()
await world.addServiceAccount('robot', 'admin', 'robot-secret')
await tokenWith('admin')
const [key] = await world.adapters.signingKeys.list()
const ownKey = key!.jwk.reveal() as JWK & { kid: string }

afterAll(() => world.close())

const use = (token: string) => request(world.app).get('/v0/drives').set('Authorization', `Bearer ${token}`)
const encoded = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)
const claims = () => ({
  iss: issuer,
  aud: issuer,
  sub: 'robot',
  kind: 'service_account',
  scope: 'admin',
  iat: now(),
  exp: now() + 600,
})
const refusal = { code: 401, error: 'invalid_token', message: 'The credential is not valid.' }

async function tokenWith(scope: string): Promise<string> {
  const { body } = await request(world.app)
    .post('/oauth/token')
    .type('form')
    .send({ grant_type: 'client_credentials', client_id: 'robot', client_secret: 'robot-secret', scope })
  return body.access_token
}

/** Signed by our own key, so that only the claims can be wrong. */
async function signedByUs(payload: object, header: object = {}): Promise<string> {
  const key = await importJWK(ownKey, 'ES256')
  return new SignJWT({ ...claims(), ...payload })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: ownKey.kid, ...header })
    .sign(key)
}

test('a Causeway key is reported as such, whether or not it is valid', async () => {
  const answer = await use(`cwk_${'x'.repeat(43)}`)

  expect(answer.status).toBe(401)
  expect(answer.body).toMatchObject({ error: 'invalid_token', message: expect.stringContaining('a Causeway API key') })
})

describe('case 53: forged tokens', () => {
  const body = () => encoded(claims())
  const strange = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ourKey = () => createPrivateKey({ key: ownKey as never, format: 'jwk' })
  const signedWith = (header: object | string, privateKey = strange().privateKey, payload = body()) => {
    const text = `${encoded(header)}.${payload}`
    return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
  const header = () => ({ alg: 'ES256', typ: 'at+jwt', kid: ownKey.kid })
  const publicJwk = () => strange().publicKey.export({ format: 'jwk' })

  /** Both are there, and the right one is last, where most readers find it. */
  const twice = (right: object, wrong: object) =>
    `${JSON.stringify(wrong).slice(0, -1)},${JSON.stringify(right).slice(1)}`
  let elsewhere: Awaited<ReturnType<typeof connectionRecorder>>

  beforeAll(async () => {
    elsewhere = await connectionRecorder()
  })
  afterAll(() => elsewhere.close())

  test('a token signed by the platform is valid, so the rejections below concern the claims', async () => {
    expect((await use(await signedByUs({}))).status).toBe(200)
    expect((await use(signedWith(header(), ourKey()))).status).toBe(200)
  })

  const forgeries: Array<[string, () => string | Promise<string>]> = [
    ['alg none', () => `${encoded({ ...header(), alg: 'none' })}.${body()}.`],
    ['alg None', () => `${encoded({ ...header(), alg: 'None' })}.${body()}.`],
    ['alg NONE', () => `${encoded({ ...header(), alg: 'NONE' })}.${body()}.`],
    [
      'HS256 with the public key as the secret',
      async () => {
        const { d: _private, ...open } = ownKey
        const pem = await exportSPKI((await importJWK(open, 'ES256', { extractable: true })) as never)
        const text = `${encoded({ ...header(), alg: 'HS256' })}.${body()}`
        return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`
      },
    ],
    ['a key of its own, embedded', () => signedWith({ ...header(), jwk: publicJwk() })],
    ['a jku that leads elsewhere', () => signedWith({ ...header(), jku: `${elsewhere.url}/keys` })],
    ['a jku and a kid that we do not know', () => signedWith({ ...header(), jku: `${elsewhere.url}/keys`, kid: 'x' })],
    ['an x5u that leads elsewhere', () => signedWith({ ...header(), x5u: `${elsewhere.url}/cert` })],
    ['an x5u and no kid', () => signedWith({ ...header(), x5u: `${elsewhere.url}/cert`, kid: undefined })],
    ['an issuer that leads elsewhere', () => signedByUs({ iss: elsewhere.url })],
    ['a kid that is a path', () => signedWith({ ...header(), kid: '../../../etc/passwd' })],
    ['a kid that is SQL', () => signedWith({ ...header(), kid: "' or 1=1 --" })],
    ['a kid that is an address', () => signedWith({ ...header(), kid: `${elsewhere.url}/kid` })],
    ['our kid and a strange signature', () => signedWith(header())],
    ['no signature', async () => (await signedByUs({})).replace(/[^.]+$/, '')],
    ['a cut signature', async () => (await signedByUs({})).slice(0, -4)],
    ['a signature of zeros', async () => (await signedByUs({})).replace(/[^.]+$/, encoded('\0'.repeat(64)))],
    ['a header it calls critical', () => signedWith({ ...header(), crit: ['x'], x: 1 }, ourKey())],
    ['the form of an encrypted token', () => `${encoded({ alg: 'dir', enc: 'A256GCM' })}..AAAA.AAAA.AAAA`],
    [
      'a claim changed after signing',
      async () => (await signedByUs({})).replace(/\.[^.]+\./, `.${encoded({ ...claims(), sub: 'x' })}.`),
    ],
    ['a claim said twice', () => signedWith(header(), ourKey(), encoded(twice(claims(), { sub: 'nobody' })))],
    ['a claim said twice, alike', () => signedWith(header(), ourKey(), encoded(twice(claims(), { scope: 'admin' })))],
    ['a header said twice', () => signedWith(twice(header(), { alg: 'none' }), ourKey())],
    ['more than 8 kB', () => signedByUs({ padding: 'x'.repeat(9_000) })],
    ['a key that its sender would have to prove', () => signedByUs({ cnf: { jkt: 'x'.repeat(43) } })],
    ['nothing but dots', () => '..'],
  ]

  test.each(forgeries)('with %s return the same 401', async (_, forge) => {
    const answer = await use(await forge())

    expect([answer.status, answer.body]).toEqual([401, refusal])
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    expect(elsewhere.calls()).toBe(0)
  })

  test('never make the platform fetch a URL from their headers', async () => {
    await fetch(elsewhere.url)

    expect(elsewhere.calls()).toBe(1)
  })
})

describe('case 54: wrong claims and scope', () => {
  const wrong: Array<[string, object, object?]> = [
    ['an ID token', {}, { typ: 'JWT' }],
    ['another issuer', { iss: 'http://127.0.0.1:3101' }],
    ['an audience of several', { aud: [issuer, 'https://else.example'] }],
    ['another audience', { aud: 'https://else.example' }],
    ['an end in the past', { iat: now() - 3_600, exp: now() - 60 }],
    ['a beginning in the future', { nbf: now() + 600 }],
    ['an issue in the future', { iat: now() + 600, exp: now() + 1_200 }],
    ['no end', { exp: undefined }],
    ['an age above two hours', { iat: now() - 7_300 }],
    ['scopes as a list', { scope: ['admin'] }],
    ['an owner that is gone', { sub: 'nobody' }],
    ['an owner of another kind', { kind: 'user' }],
  ]

  test.each(wrong)('%s is rejected', async (_, payload, header) => {
    const answer = await use(await signedByUs(payload, header))

    expect([answer.status, answer.body]).toEqual([401, refusal])
  })

  test.each([
    '',
    'drives',
    'drives:lis',
    'DRIVES:LIST',
    'drives:list:all',
    'drives',
    'volumes:list',
    'drives:*',
    'drives: list',
  ])('the scope %j does not list drives', async (scope) => {
    const answer = await use(await signedByUs({ scope }))

    expect([answer.status, answer.body.error]).toEqual([403, 'insufficient_scope'])
  })

  test('scopes may be separated by several spaces', async () => {
    expect((await use(await signedByUs({ scope: 'volumes:list  drives:list' }))).status).toBe(200)
  })

  test('a token of one workspace does not open another that its header names', async () => {
    await world.enter('other', 'admin@acme.example')

    const answer = await use(await signedByUs({})).set('X-Service-Workspace', 'other')

    expect([answer.status, answer.body.error]).toEqual([403, 'access_denied'])
  })
})

describe('case 60: secrets and line breaks in logs', () => {
  test('at the most verbose level no secret is logged, and one event is one line', async () => {
    const DATABASE_URL = await createTestDatabase('platform')
    const env = { DATABASE_URL, LOG_LEVEL: 'trace', DEBUG: '*', PORT: '0', HOST: '127.0.0.1', SHUTDOWN_SECONDS: '1' }
    const loud = await startLoud({ ...env, ENCRYPTION_KEYS: keysOf(world) })
    const key = await bootstrapped(DATABASE_URL)
    const own = { Authorization: `Bearer ${key}`, 'X-Service-Workspace': 'acme' }
    const send = async (path: string, init: RequestInit = {}) => {
      const headers = { ...own, 'Content-Type': 'application/json', ...init.headers }
      const answer = await fetch(`${loud.url}${path}`, { ...init, headers, signal: AbortSignal.timeout(50_000) })
      await answer.text()
      return answer
    }
    const post = (path: string, body: object) => send(path, { method: 'POST', body: JSON.stringify(body) })
    const evil = '\n{"level":50,"msg":"forged"}\u001b[31m'

    const answers = [
      await post('/v0/integrations/connections', {
        metadata: { name: 'c' },
        spec: samples.integrationconnection!.spec,
      }),
      await post('/v0/drives', { metadata: { name: 'loud', displayName: evil }, spec: {} }),
      await send(`/v0/drives/${encodeURIComponent(evil)}`, { headers: { 'User-Agent': 'CANARY-agent' } }),
      await send('/v0/drives?cursor=CANARY-cursor', { headers: { 'Service-Version': '2026-04-28' } }),
      await send('/v0/drives', { headers: { Authorization: 'Bearer CANARY-credential' } }),
      await post('/oauth/token', { grant_type: 'client_credentials', client_id: 'CANARY', client_secret: 'CANARY' }),
    ]
    const printed = await loud.stop()

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 400, 401, 400])
    const lines = printed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.filter(({ event }) => event === 'request.answered' || event === 'request.failed')).toHaveLength(
      answers.length,
    )
    const all = printed.out + printed.err
    expect(all).not.toMatch(/CANARY|forged/)
    expect(all).not.toContain('\u001b')
    expect(all).not.toContain(key)
  })

  test('with a read-only store, writes return 503 with Retry-After and reads work', async () => {
    const frozen = await platformWorld()
    const { pathname } = new URL(frozen.config.databaseUrl)
    await frozen.pool.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`)
    // Open connections keep what they had; new ones are read-only.
    await frozen.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    const api = frozen.as(frozen.admin)

    const read = await waitFor('reads are answered again', async () => {
      const answer = await api.get('/v0/drives')
      return answer.status === 200 && answer
    })
    const write = await api.post('/v0/drives').send({ metadata: { name: 'd' }, spec: {} })
    await frozen.close()

    expect([write.status, write.body.error, write.headers['retry-after']]).toEqual([503, 'unavailable', '2'])
    expect(read.status).toBe(200)
  })
})

/** The program and its output. */
async function startLoud(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['dist/platform/main.js'], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const printed = { out: '', err: '' }
  const [stdout, stderr] = [child.stdout!, child.stderr!]
  stdout.on('data', (chunk) => {
    printed.out += chunk
  })
  stderr.on('data', (chunk) => {
    printed.err += chunk
  })
  // The last output may arrive after the exit.
  const ended = Promise.all([once(child, 'exit'), once(stdout, 'end'), once(stderr, 'end')])
  const early = ended.then(() => Promise.reject(new Error(printed.err)))
  const [{ port }] = (await Promise.race([once(child, 'message'), early])) as [{ port: number }]
  early.catch(() => {})
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.disconnect()
      await ended
      return printed
    },
  }
}

async function bootstrapped(DATABASE_URL: string): Promise<string> {
  const args = ['bootstrap', '--account', 'demo', '--workspace', 'acme', '--email', 'admin@acme.example']
  const { stdout } = await promisify(execFile)(process.execPath, [bundled('platform/cli'), ...args], {
    env: { DATABASE_URL },
  })
  return JSON.parse(stdout).apiKey
}
