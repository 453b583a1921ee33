// O11: connection problems are explained to the operator, and fail at once if waiting can't help.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/kit/crypto/secret.ts'
import { awaitDatabase, openPool } from '../../src/kit/database/pool.ts'
import { awaitRedis, openRedis } from '../../src/kit/database/redis.ts'
import { connectionCode, describeConnection, isCertificateProblem } from '../../src/kit/fetch/connection-problem.ts'
import { guardedFetch } from '../../src/kit/fetch/guarded-fetch.ts'
import { platformHttp } from '../../src/onboarding/provisioning/adapters/platform/platform-http.ts'

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Answers everything with the same bytes. */
const parrot = (says: string) =>
  portOf(
    createServer((socket: Socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', () => socket.write(says))
      onTestFinished(() => void socket.destroy())
    }),
  )

const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'worked',
    (error: Error) => error.message,
  )

describe('O11: a Redis', () => {
  /** The Redis of the test run, which has a password. */
  const withPassword = (password: string) => Object.assign(new URL(inject('redis')), { password }).href
  const startWith = (url: string, waitMs: number) => {
    const client = openRedis(url)
    onTestFinished(() => client.disconnect())
    return failure(awaitRedis(client, waitMs))
  }

  test('that requires a password fails immediately', async () => {
    expect(await startWith(withPassword(''), 30_000)).toMatch(/REDIS_URL: .*asks for a password \(NOAUTH\)/)
  })

  test('that rejects the password fails immediately, without quoting it', async () => {
    const said = await startWith(withPassword('CANARY'), 30_000)

    expect(said).toMatch(/REDIS_URL: .*\(WRONGPASS\)/)
    expect(said).not.toContain('CANARY')
  })

  test('that is unreachable is reported with the reason', async () => {
    expect(await startWith('redis://127.0.0.1:1', 50)).toBe(
      'REDIS_URL: no Redis answers there (ECONNREFUSED: nothing listens there)',
    )
  })
})

describe('O11: a PostgreSQL', () => {
  const startWith = (url: string, waitMs: number) => {
    const pool = openPool(url, { connections: 1 })
    onTestFinished(() => pool.end())
    return failure(awaitDatabase(pool, waitMs))
  }

  test('that does not support TLS fails immediately', async () => {
    const port = await parrot('N')

    expect(await startWith(`postgres://u@127.0.0.1:${port}/d?sslmode=require`, 20_000)).toMatch(
      /DATABASE_URL: .*does not support TLS/,
    )
  })

  test('that is unreachable is reported with the reason', async () => {
    expect(await startWith('postgres://u@127.0.0.1:1/d', 0)).toBe(
      'DATABASE_URL: no PostgreSQL answers there (ECONNREFUSED: nothing listens there)',
    )
  })
})

describe('O11: a code', () => {
  test.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', true, /NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', true, /NODE_EXTRA_CA_CERTS/],
    ['CERT_HAS_EXPIRED', true, /expired/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', true, /another name/],
    ['EPROTO', false, /TLS/],
    ['ENOTFOUND', false, /DNS/],
    ['SOMETHING_ELSE', false, /^SOMETHING_ELSE$/],
  ])('%s has an explanation', (code, isCertificate, words) => {
    expect(describeConnection(code)).toMatch(words)
    expect(isCertificateProblem(code)).toBe(isCertificate)
  })

  test('is found in wrapped errors, and other values are not reported', () => {
    const inner = Object.assign(new Error('x'), { code: 'ENOTFOUND' })

    expect(connectionCode(new Error('fetch failed', { cause: inner }))).toBe('ENOTFOUND')
    expect(connectionCode(Object.assign(new AggregateError([inner]), {}))).toBe('ENOTFOUND')
    expect(connectionCode({ code: 'https://user:secret@host' })).toBeUndefined()
    expect(connectionCode(undefined)).toBeUndefined()
  })
})

const hasOpenssl = (() => {
  try {
    return execFileSync('openssl', ['version']).length > 0
  } catch {
    return false
  }
})()

function selfSigned() {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '1']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  })
  const made = { key: readFileSync(key), cert: readFileSync(cert) }
  rmSync(folder, { recursive: true })
  return made
}

describe.skipIf(!hasOpenssl)('O11: a certificate of a private CA', () => {
  const start = () => portOf(createHttps(selfSigned(), (_req, res) => void res.end('{}')))

  test('is reported to the operator with the setting to change', async () => {
    const baseUrl = `https://127.0.0.1:${await start()}/v0`
    const http = platformHttp({ baseUrl, apiKey: new Secret('key'), brand: 'Service' })
    onTestFinished(() => http.close())

    const error = await http.send('GET', '/functions', 'acme').catch((thrown) => thrown)

    expect(error).toMatchObject({ cause: 'platform_misconfigured', retry: { afterSeconds: 30 } })
    expect(error.detail).toMatch(/DEPTH_ZERO_SELF_SIGNED_CERT: .*NODE_EXTRA_CA_CERTS/)
  })

  test('means that nothing was sent to a provider, so a retry is safe', async () => {
    const port = await start()
    const fetch = guardedFetch({ allow: [`127.0.0.1:${port}`] })
    onTestFinished(() => fetch.close())

    const error = await fetch(`https://127.0.0.1:${port}/token`, { method: 'POST', body: 'code=1' }).catch((e) => e)

    expect(error).toMatchObject({ kind: 'unreachable', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  })
})
