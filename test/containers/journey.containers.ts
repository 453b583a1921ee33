// The composition as an operator starts it, and an account linked through it: every container, the proxy in front, the
// roles of the databases.
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import dns from 'node:dns'
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { waitFor as waitBriefly } from '../support/oracles/wait-for.ts'

const { PROJECT: project = '', COMPOSE: compose = '', PODMAN: podman = '' } = process.env
const { ONBOARDING_PUBLIC_URL: onboarding = '', PLATFORM_PUBLIC_URL: platform = '' } = process.env
const providerHost = `provider.localhost:${process.env.PROVIDER_PORT}`
const provider = `http://${providerHost}`
const returnUrl = 'http://localhost:4500/connected'

type Answer = { id: string; url: string; connection: { functionUrl: string } }

/** Containers take their time on a machine that does other things. */
const waitFor: typeof waitBriefly = (what, ask) => waitBriefly(what, ask, { withinMs: 240_000 })

const run = promisify(execFile)
const shell = async (command: string) => (await run('sh', ['-c', command], { cwd: project })).stdout.trim()
const inside = (service: string, command: string) => shell(`${compose} exec -T ${service} ${command}`)
const settings = (name: string) => join(project, 'deploy/compose', `${name}.env`)
const setting = (file: string, name: string) =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(settings(file), 'utf8'))?.[1] ?? ''

/** As the image's own check says, which the engine runs. */
const health = async (service: string) =>
  shell(`${podman} inspect -f '{{.State.Health.Status}}' ${await shell(`${compose} ps -q ${service}`)}`)

/** Created by the journey and used by later tests. */
let functionUrl = ''
let apiKey = ''

beforeAll(async () => {
  // Browsers take every name below localhost for this machine (RFC 6761, section 6.3). Node asks DNS.
  const { lookup } = dns
  const localLookup = (host: string, ...rest: [never, never]) =>
    lookup(host.endsWith('.localhost') ? 'localhost' : host, ...rest)
  dns.lookup = localLookup as typeof lookup
  rmSync(join(project, 'integrations'), { recursive: true, force: true })
  await shell(`${compose} down --volumes --timeout 5; rm -f deploy/compose/*.env`)
})

test('deploy/compose/up starts everything, and a second run is a no-op', async () => {
  const first = await shell('deploy/compose/up')
  const key = setting('onboarding', 'PLATFORM_API_KEY')
  const second = await shell('deploy/compose/up')

  expect(first).toContain(`Support console: ${onboarding}/support as admin@example.com with the password`)
  expect(second).not.toContain('password')
  expect(setting('onboarding', 'PLATFORM_API_KEY')).toBe(key)
  const ready = await waitFor('the product is ready', async () => {
    const answer = await fetch(`${onboarding}/readyz`).catch(() => undefined)
    return answer?.ok && answer.json()
  })
  expect(ready).toMatchObject({ status: 'ready' })
})

test('every service is healthy, runs as a non-root user and has a read-only file system', async () => {
  for (const service of ['onboarding', 'platform', 'postgres', 'redis']) {
    await waitFor(`${service} is healthy`, async () => (await health(service)) === 'healthy')
    expect(await inside(service, 'id -u'), service).not.toBe('0')
    await expect(inside(service, 'touch /etc/passwd'), service).rejects.toThrow()
  }
})

test.each([
  ['onboarding', 'platform'],
  ['platform', 'onboarding'],
])('%s runs as a role that can neither change tables nor enter the database of %s', async (own, other) => {
  const as = (role: string, database: string, statement: string) => {
    const { password } = new URL(setting(role.replace('_', '-'), 'DATABASE_URL'))
    return inside('postgres', `psql "postgres://${role}:${password}@127.0.0.1:5432/${database}" -c "${statement}"`)
  }

  await expect(as(own, own, 'create table mine (id int)')).rejects.toThrow(/permission denied/)
  await expect(as(own, own, 'drop table migrations')).rejects.toThrow(/must be owner/)
  await expect(as(own, own, 'create role mine superuser')).rejects.toThrow(/must be superuser|permission denied/)
  await expect(as(own, other, 'select 1')).rejects.toThrow(/permission denied/)
  await expect(as(`${own}_owner`, other, 'select 1')).rejects.toThrow(/permission denied/)
  expect(await as(own, own, 'select count(*) from migrations')).toContain('1')
})

test('the product cannot disable the protection of its audit log', async () => {
  const url = setting('onboarding', 'DATABASE_URL').replace('@postgres:', '@127.0.0.1:')
  const audit = (statement: string) => inside('postgres', `psql "${url}" -c "${statement}"`)

  await inside('onboarding', 'causeway keys create --name audited')

  await expect(audit('alter table audit disable trigger all')).rejects.toThrow(/must be owner/)
  await expect(audit('delete from audit')).rejects.toThrow(/only ever added to/)
})

test('the stores accept only connections from the programs', async () => {
  const connects = (service: string, host: string, port: number) =>
    inside(service, `node -e "require('net').connect(${port}, '${host}').on('connect', () => process.exit(0))"`)

  await connects('onboarding', 'postgres', 5432)
  await expect(connects('provider', 'postgres', 5432)).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/)
  await expect(connects('provider', 'redis', 6379)).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/)
  expect(await inside('redis', 'env -u REDISCLI_AUTH redis-cli dbsize')).toContain('NOAUTH')
})

test('an account is linked at a custom provider, and its function responds at its public URL', async () => {
  await configureProvider()
  const { key } = JSON.parse(await inside('onboarding', 'causeway keys create --name journey'))
  apiKey = key
  const api = async (method: string, path: string, body: object) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const answer = await fetch(`${onboarding}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as Answer }
  }
  const tenant = await api('PUT', '/tenants/acme', { workspace: 'main', displayName: 'Acme', returnUrls: [returnUrl] })
  const verifier = randomBytes(32).toString('base64url')
  const minted = await api('POST', '/connect-sessions', {
    tenantId: 'acme',
    integrationId: 'filebox',
    endUser: { id: 'user-1' },
    returnUrl,
    completionChallenge: createHash('sha256').update(verifier).digest('base64url'),
  })

  const browser = new HttpBrowser()
  const back = await browser.follow(await browser.post(minted.body.url), returnUrl)
  const code = new URL(back.url).searchParams.get('completion_code')
  const completed = await api('POST', `/connect-sessions/${minted.body.id}/complete`, {
    completionCode: code,
    completionVerifier: verifier,
  })

  expect([tenant.status, minted.status, completed.status]).toEqual([201, 201, 200])
  expect(completed.body).toMatchObject({ status: 'linked', connection: { workspace: 'main' } })
  functionUrl = completed.body.connection.functionUrl
  expect(minted.body.url).toMatch(new RegExp(`^${onboarding}/`))
  expect(functionUrl).toMatch(new RegExp(`^${platform}/`))
  expect(await callTool(functionUrl, 'list_files')).toContain('plan.txt')
})

test("the image contains the tenants' command line, which can read the link", async () => {
  const image = process.env.CAUSEWAY_IMAGE ?? ''
  const env = `-e CAUSEWAY_URL=${onboarding} -e CAUSEWAY_API_KEY=${apiKey}`
  const printed = await shell(`${podman} run --rm --network=host ${env} ${image} causeway links --tenant acme --json`)

  expect(printed.split('\n').map((line) => JSON.parse(line))).toMatchObject([
    { tenantId: 'acme', integrationId: 'filebox', status: 'linked' },
  ])
})

test.each(['onboarding', 'platform'])('%s is restarted when its process dies', async (service) => {
  const id = await shell(`${compose} ps -q ${service}`)
  const startedAt = () => shell(`${podman} inspect -f '{{.State.StartedAt}}' ${id}`)
  const before = await startedAt()

  // Kills Node instead of the container: the engine would treat a kill as a deliberate stop.
  await inside(service, `sh -c 'kill -KILL $(pidof node)'`).catch(() => 'the shell ends with its container')

  await waitFor(`${service} runs again`, async () => (await startedAt()) !== before)
  await waitFor(`${service} is healthy`, async () => (await health(service)) === 'healthy')
})

test('linked accounts survive a restart of every container', async () => {
  // Not the provider, which forgets its grants. One after the other: podman's name server is not always there again after all were gone at once.
  for (const service of ['postgres', 'redis', 'platform', 'onboarding', 'proxy']) {
    await shell(`${compose} restart --timeout 20 ${service}`)
  }
  await untilReady()

  const answer = await waitFor('the function answers', () => callTool(functionUrl, 'list_files').catch(() => undefined))

  expect(answer).toContain('plan.txt')
})

test('the image has labels and an SBOM, and prints its usage', async () => {
  const image = process.env.CAUSEWAY_IMAGE ?? ''
  const labels = JSON.parse(await shell(`${podman} inspect -f '{{json .Config.Labels}}' ${image}`))
  const packages = JSON.parse(await inside('onboarding', 'cat sbom.cdx.json')).components
  const refused = await shell(`${podman} run --rm ${image} nonsense 2>&1 || echo "ended with $?"`)

  expect(labels).toMatchObject({
    'org.opencontainers.image.title': 'Causeway',
    'org.opencontainers.image.licenses': 'MIT',
  })
  expect(packages.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['express', 'pg', 'zod']))
  expect(packages.map(({ name }: { name: string }) => name)).not.toContain('vitest')
  expect(refused).toMatch(/^usage: onboarding .*ended with 64$/ms)
})

test('both programs shut down gracefully within their timeout', async () => {
  await shell(`${compose} stop --timeout 25 onboarding platform`)

  for (const service of ['onboarding', 'platform']) {
    const id = await shell(`${compose} ps -a -q ${service} || ${compose} ps -q ${service}`)
    expect(await shell(`${podman} inspect -f '{{.State.ExitCode}}' ${id}`), service).toBe('0')
  }
})

async function configureProvider(): Promise<void> {
  const answer = await waitFor('the provider answers', async () => {
    const found = await fetch(`${provider}/journey/control/integration`).catch(() => undefined)
    return found?.ok && ((await found.json()) as { integrations: object[] })
  })
  const integrations = answer.integrations.map((entry) => ({ ...entry, id: 'filebox', displayName: 'Filebox' }))
  writeFileSync(join(project, 'integrations/integrations.json'), JSON.stringify({ integrations }))
  appendFileSync(settings('onboarding'), `EGRESS_ALLOW=${providerHost}\n`)
  await shell('deploy/compose/up')
  await shell(`${compose} restart platform onboarding`)
  await untilReady()
}

const untilReady = () =>
  waitFor('the product is ready again', async () => {
    const ready = await fetch(`${onboarding}/readyz`).catch(() => undefined)
    return ready?.ok && /"platform":\s*"ready"/.test(await ready.text())
  })

/** As an MCP client does, with the key of the deployment: initialize, then the call. */
async function callTool(functionUrl: string, name: string): Promise<string> {
  const headers = {
    Authorization: `Bearer ${setting('onboarding', 'PLATFORM_API_KEY')}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  }
  const send = async (method: string, params: object, more: Record<string, string> = {}) =>
    fetch(`${functionUrl}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const opened = await send('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'journey', version: '1' },
  })
  const session = opened.headers.get('mcp-session-id')
  const answer = await send('tools/call', { name, arguments: {} }, session ? { 'Mcp-Session-Id': session } : {})
  return answer.text()
}
