// What a command may do with an account: what the policy, the spec and the function allow, and no more.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import request from 'supertest'
import { expect, onTestFinished, test } from 'vitest'
import { ltsNode } from '../../../scripts/set-up/lts-node.mjs'
import type { ToolRule } from '../../../src/platform/gateway/domain/tool-policy.ts'
import { accountsWorld } from './accounts-world.ts'

async function start(...rules: ToolRule[]) {
  const world = await accountsWorld(rules)
  onTestFinished(() => world.close())
  await world.sandbox('box')
  return world
}

const push = `cd /tmp && git init -q -b main r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a &&
  git push -q "$API/git/repo.git" main`

test('a read-only account can be cloned and not pushed to', async () => {
  const { provider, run } = await start({ readOnly: true })
  provider.repository('repo.git')

  const cloned = await run('box', 'cd /tmp && git clone -q "$API/git/repo.git" c && ls -d c')
  const pushed = await run('box', push)
  const posted = await run('box', 'curl -sS -d x=1 "$API/v1/models"')

  expect(cloned).toMatchObject({ stdout: 'c\n', exitCode: 0 })
  expect(pushed).toMatchObject({ exitCode: expect.any(Number), stderr: expect.stringContaining('error: 403') })
  expect(pushed.exitCode).not.toBe(0)
  expect(posted.stdout).toContain('does not allow POST /v1/models')
})

test('the policy limits methods and paths, and counts', async () => {
  const { run, calls } = await start({ relay: { methods: ['GET'], paths: ['/v1/*'] }, perMinute: { relay: 2 } })

  const ran = await run('box', 'curl -sS "$API/v2/x" "$API/v1/a" "$API/v1/b" "$API/v1/c" | tr "}" "\\n"')

  expect(ran.stdout).toContain('does not allow GET /v2/x')
  expect(ran.stdout).toContain('TOO_MANY_REQUESTS')
  expect(await calls()).toMatchObject([{ outcome: 'refused' }, { outcome: 'succeeded' }, { outcome: 'succeeded' }, {}])
})

test('Git’s credential is sent with requests of Git only', async () => {
  const { provider, run } = await start()

  await run('box', 'curl -sS "$API/git/repo.git/HEAD" "$API/git/x/info/refs" "$API/x/git-upload-pack"')

  const seen = provider.state.seen.filter(({ url }) => url !== '/token')
  expect(seen.length).toBeGreaterThanOrEqual(3)
  expect([...new Set(seen.map(({ authorization }) => authorization?.split(' ')[0]))]).toEqual(['Bearer'])
})

test('a function that is deleted, or removed from the spec, closes its hosts while a command runs', async () => {
  const { provider, api, run, sandbox, envs } = await start()
  await sandbox('other')
  const twice =
    'curl -sS -o /dev/null -w "%{http_code} " "$API/v1/a"; touch /ready; until [ -e /go ]; do sleep 0.05; done; curl -sS "$API/v1/b"'
  const files = async (name: string) => (await api.get(`/acme/sandboxes/${name}/filesystem/`)).body.files ?? []
  const ready = async (name: string) => {
    while (!(await files(name)).some((file: { name: string }) => file.name === 'ready')) await new Promise(setImmediate)
  }
  const go = (name: string) => run(name, 'touch /go')

  const [first, second] = [run('box', twice), run('other', twice)]
  await Promise.all([ready('box'), ready('other')])
  const spec = { runtime: { memory: 512, envs }, functions: [] }
  await api
    .put('/v0/sandboxes/other')
    .send({ metadata: { name: 'other' }, spec })
    .expect(200)
  await go('other')
  const removed = await second
  await api.delete('/v0/functions/code').expect(200)
  await go('box')
  const deleted = await first

  expect([removed, deleted].map(({ stdout, stderr }) => `${stdout}${stderr}`)).toEqual([
    expect.stringMatching(/^200 .*403/s),
    expect.stringMatching(/^200 .*403/s),
  ])
  expect(provider.state.seen.filter(({ url }) => url === '/v1/b')).toEqual([])
})

test('a refusal says which hosts are open, and which functions are not deployed', async () => {
  const { provider, run, sandbox } = await start()
  await sandbox('lacking', { functions: ['code', 'gone'] })
  const ask = `node -e "require('net').connect(3128, '127.0.0.1').on('data', (d) => console.log(String(d))).write('CONNECT example.com:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')"`

  const { stdout } = await run('lacking', ask)

  expect(stdout).toContain('HTTP/1.1 403 Forbidden')
  expect(stdout).toContain(
    `example.com is not open to this sandbox. It may reach ${provider.host}. Not deployed: gone.`,
  )
})

test('only callers who may use functions can name them, and others keep what is there', async () => {
  const { platform, api, envs } = await start()
  await platform.addServiceAccount('robot', 'admin', 'robot-secret')
  const { body } = await request(platform.app)
    .post('/oauth/token')
    .send({
      ...{ grant_type: 'client_credentials', client_id: 'robot', client_secret: 'robot-secret' },
      scope: 'sandboxes:create sandboxes:update sandboxes:get jobs:create',
    })
  const robot = platform.as({ key: body.access_token, workspace: 'acme' })
  const spec = { runtime: { memory: 512, envs }, functions: ['code'] }

  const made = await robot.post('/v0/sandboxes').send({ metadata: { name: 'own' }, spec })
  const job = await robot.post('/v0/jobs').send({ metadata: { name: 'own' }, spec: { functions: ['code'] } })
  const kept = await robot.put('/v0/sandboxes/box').send({ metadata: { name: 'box' }, spec })
  const more = { ...spec, functions: ['code', 'other'] }
  const grown = await robot.put('/v0/sandboxes/box').send({ metadata: { name: 'box' }, spec: more })
  const read = await api.get('/v0/sandboxes/box')

  expect([made.status, job.status, kept.status, grown.status]).toEqual([403, 403, 200, 403])
  expect(made.body.message).toContain('functions:get')
  expect(read.body.spec.functions).toEqual(['code'])
})

test('accounts of another workspace cannot be named', async () => {
  const { platform, run } = await start()
  const other = platform.as(await platform.enter('other', 'owner@other.example', 'other'))
  await other
    .post('/v0/functions')
    .send({ metadata: { name: 'theirs' }, spec: { type: 'mcp' } })
    .expect(200)
  await platform
    .as(platform.admin)
    .put('/v0/sandboxes/box')
    .send({ metadata: { name: 'box' }, spec: { functions: ['theirs'] } })

  const { stdout, stderr } = await run('box', 'echo "$API $HTTPS_PROXY"; curl -sS https://example.com')

  expect(stdout).toContain('http://127.0.0.1:3128')
  expect(stderr).toContain('403')
})

test('a sandbox without functions has no network, no placeholder and no proxy', async () => {
  const { run, sandbox } = await start()
  await sandbox('plain', { functions: [] })

  const { stdout } = await run(
    'plain',
    'env | grep -cE "PROXY|_TOKEN|CA_" ; ls /etc/accounts-ca.pem 2>&1; curl -sS "$API" 2>&1',
  )

  expect(stdout).toMatch(/^0\n.*No such file.*\n.*(Couldn't connect|Failed to connect)/)
})

test('a variable of the sandbox replaces a placeholder, but not the proxy', async () => {
  const { run, sandbox, envs } = await start()
  const own = [...envs, { name: 'CODE_HOST_TOKEN', value: 'own' }, { name: 'HTTPS_PROXY', value: 'http://127.0.0.1:1' }]
  await sandbox('own', { runtime: { memory: 512, envs: own } })

  const { stdout } = await run(
    'own',
    'echo "$CODE_HOST_TOKEN $HTTPS_PROXY"; curl -sS -o /dev/null -w "%{http_code}" "$API/v1/a"',
  )

  expect(stdout).toBe('own http://127.0.0.1:3128\n200')
})

test('a command with too many connections or requests is refused, and the next ones work', async () => {
  const { run } = await start()
  const flood = `node -e "
    const net = require('net'); let open = 0, closed = 0
    for (let at = 0; at < 200; at++) net.connect(3128, '127.0.0.1').on('connect', () => open++).on('close', () => { if (++closed === 136) { console.log('closed', closed); process.exit() } }).on('error', () => {})"`

  const flooded = await run('box', flood)
  const after = await run('box', 'curl -sS -o /dev/null -w "%{http_code}" "$API/v1/a"')

  expect(flooded.stdout).toBe('closed 136\n')
  expect(after.stdout).toBe('200')
})

const node = [ltsNode, process.execPath].find((path) => existsSync(path)) ?? process.execPath
const openai = dirname(fileURLToPath(import.meta.resolve('openai')))
const sdk = `const { OpenAI } = require('${openai}')
  const client = new OpenAI({ apiKey: process.env.CODE_HOST_TOKEN, baseURL: process.env.API + '/v1' })
  client.models.list().then(({ data }) => console.log(data[0].id))`

/** Older releases of Node ignore proxies of the environment. */
const usesProxy = node === ltsNode || Number(process.versions.node.split('.')[0]) >= 24

test.skipIf(!usesProxy)('an SDK that uses fetch runs unmodified', async () => {
  const world = await accountsWorld(
    [],
    [
      {
        image: 'test/sdk',
        command: [node, '-e', sdk],
        folders: [...new Set([dirname(dirname(node)), join(openai)])].map((path) => ({ path })),
      },
    ],
  )
  onTestFinished(() => world.close())
  await world.job('sdk', { runtime: { image: 'test/sdk', memory: 512, envs: world.envs } })

  const [output] = await world.runJob('sdk', [''])

  expect(output).toBe('one\n')
})
