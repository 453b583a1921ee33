import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runCommandLine } from '../../../packages/cli/src/run.ts'
import { sealAudit } from '../../../src/onboarding/flows/seal-audit.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { startOnboarding } from '../../support/worlds/onboarding-world.ts'
import { type Machine, testTerminal } from './test-terminal.ts'

const world = await startOnboarding()
const signedIn = { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: world.key }
afterAll(() => world.close())

async function run(words: string[], machine?: Machine) {
  const { terminal, folder, out, err } = testTerminal(machine)
  const code = await runCommandLine(words, terminal)
  return { code, out: out(), err: err(), folder }
}

test('login stores the address and key, and logout deletes them', async () => {
  const { code, out, folder } = await run(['login', '--url', world.url], { typed: `${world.key}\n` })
  const file = join(folder, 'config/credentials.json')
  const listed = await run(['tenants'], { folder })
  await run(['logout'], { folder })

  expect(code).toBe(0)
  expect(out).toContain('The key can read the tenant acme.')
  expect(listed.out.split('\n')).toEqual([
    expect.stringMatching(/^ID +NAME +WORKSPACE +STATUS$/),
    expect.stringMatching(/^acme +Acme +acme +active$/),
  ])
  expect(existsSync(file)).toBe(false)
})

test('only the current account can read the credentials file', async () => {
  const { folder } = await run(['login', '--url', world.url], { typed: world.key })
  const file = join(folder, 'config/credentials.json')

  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'config')).mode & 0o777).toBe(0o700)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url: world.url, apiKey: world.key })
})

test('login rejects an invalid key without storing it', async () => {
  const wrong = `cwk_${'x'.repeat(43)}`
  const { code, err, folder } = await run(['login', '--url', world.url], { typed: wrong })

  expect(code).toBe(1)
  expect(err).toContain('credential_invalid')
  expect(err).toContain('Run causeway login with a valid key.')
  expect(err).not.toContain(wrong)
  expect(existsSync(join(folder, 'config/credentials.json'))).toBe(false)
})

test.each([
  [['links', 'tial'], 2, 'one argument too many'],
  [['lnks'], 2, 'causeway lnks: unknown command. Did you mean causeway links?'],
  [['lnks', 'tail'], 2, 'Did you mean causeway links tail?'],
  [['tirgger', 'link.failed'], 2, 'Did you mean causeway trigger?'],
  [['frobnicate'], 2, 'causeway help lists the commands'],
  [['links', '--tenants', 'acme'], 2, "Unknown option '--tenants'. Did you mean --tenant?"],
  [['links', '--colour'], 2, "Unknown option '--colour'."],
  [['trigger', 'link.suceeded'], 2, 'Did you mean link.succeeded?'],
  [['tenants'], 1, 'Not signed in'],
  [['trigger'], 2, 'EVENT is missing'],
  [['listen'], 1, 'Not signed in'],
  [['keys', 'create', '--name', 'x'], 1, 'npm run causeway -- keys create --name x'],
  [['request', 'con_1'], 2, 'URL is missing'],
  [['request', 'con_1', '/x', '--header', 'nonsense'], 2, '--header takes'],
  [['policies'], 2, 'name either --tenant or --connection'],
  [['policies', 'rollback', 'x', '--tenant', 'acme'], 1, 'Not signed in'],
  [['completion', 'tcsh'], 2, 'Choose one of bash, zsh, fish'],
])('%j exits with %d: “%s”', async (words, code, sentence) => {
  const result = await run(words)

  expect(result.code).toBe(code)
  expect(result.err).toContain(sentence)
})

test('reports a corrupt credentials file without its content', async () => {
  const { folder } = await run(['login', '--url', world.url], { typed: world.key })
  writeFileSync(join(folder, 'config/credentials.json'), '{"apiKey": "half of a')

  const { code, err } = await run(['tenants'], { folder })

  expect(code).toBe(1)
  expect(err).toMatch(/credentials\.json cannot be read/)
  expect(err).not.toContain('half of')
})

test('--json prints one line of JSON per item', async () => {
  const tenants = await run(['tenants', '--json'], { env: signedIn })
  const integrations = await run(['integrations', '--json'], { env: signedIn })

  expect(JSON.parse(tenants.out)).toMatchObject({ id: 'acme', status: 'active' })
  expect(JSON.parse(integrations.out)).toMatchObject({ id: 'provider', available: true })
})

test('replaces control characters in output', async () => {
  await world.mint({ endUser: { id: 'user\u001b[2J' } }).catch(() => undefined)
  const minted = await world.mint({ endUser: { id: 'user\u202e1' } })
  await world.consent(minted)

  const { out } = await run(['links'], { env: signedIn })

  expect(out).toContain('user\uFFFD1')
  expect(out).not.toContain('\u202e')
})

test('connections lists linked accounts', async () => {
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)

  const { out } = await run(['connections', '--tenant', 'acme', '--status', 'active'], { env: signedIn })

  expect(out).toMatch(new RegExp(`^${body.connectionId} +acme +provider +user-\\S+ .* active`, 'm'))
})

test('connections update changes the names, by which connections are listed', async () => {
  const minted = await world.mint({ endUser: { id: 'named-by-cli' } })
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  const update = (...options: string[]) =>
    run(['connections', 'update', body.connectionId, ...options], { env: signedIn })

  const named = await update('--alias', 'work', '--labels', 'team=sales,plan=a=b', '--json')
  const listed = await run(['connections', '--alias', 'work', '--labels', 'plan=a=b', '--json'], { env: signedIn })
  const unnamed = await update('--alias', '', '--json')
  const [nothing, wrong] = [await update(), await update('--labels', 'team')]

  expect(JSON.parse(named.out)).toMatchObject({ alias: 'work', labels: { team: 'sales', plan: 'a=b' } })
  expect(JSON.parse(listed.out)).toMatchObject({ id: body.connectionId })
  expect(JSON.parse(unnamed.out)).not.toHaveProperty('alias')
  expect(nothing.err).toContain('--alias or --labels is missing')
  expect(wrong.err).toContain('the label “team” has no “=”')
})

test('causeway.env in the current folder is used if it has both the address and the key', async () => {
  const { folder } = await run(['help'])
  const write = (text: string) => writeFileSync(join(folder, 'causeway.env'), text)

  write(`CAUSEWAY_URL=${world.url}\nCAUSEWAY_API_KEY=${world.key}\n`)
  const complete = await run(['tenants'], { folder })
  write(`CAUSEWAY_URL=${world.url}\n`)
  const half = await run(['tenants'], { folder })

  expect(complete.out).toContain('acme')
  expect(half.err).toContain('Not signed in')
})

test('help lists the operator commands in one line', async () => {
  const { out } = await run(['help'])

  expect(out).toContain('Operators run these where the server runs: keys, import, export,')
  expect(out).not.toMatch(/^ {2}keys/m)
})

test('trigger rejects a live tenant', async () => {
  const { code, err } = await run(['trigger', 'link.failed'], { env: signedIn })

  expect(code).toBe(1)
  expect(err).toContain('test_mode_only')
})

test('login rejects a URL that is not https', async () => {
  const { code, err } = await run(['login', '--url', 'ftp://nowhere'], { typed: 'cwk_none' })

  expect(code).toBe(1)
  expect(err).toContain('must begin with https://')
})

test.each(['bash', 'zsh', 'fish'])('the %s completion script has valid syntax', async (shell) => {
  const { code, out } = await run(['completion', shell])
  const checked = spawnSync(shell, ['-n'], { input: out, encoding: 'utf8' })

  expect(code).toBe(0)
  expect(out).toContain('forward-to')
  // Checked only if the shell is installed.
  if (checked.error === undefined) expect(checked.stderr).toBe('')
})

test('bash completes commands, options and event types', async () => {
  const { out } = await run(['completion', 'bash'])
  const complete = (line: string) => {
    const words = line.split(' ')
    const script = `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _causeway; echo "\${COMPREPLY[*]}"`
    return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split(' ')
  }

  expect(complete('causeway li')).toEqual(['listen', 'links'])
  expect(complete('causeway links t')).toEqual(['tail'])
  expect(complete('causeway trigger link.')).toEqual(['link.succeeded', 'link.failed'])
  expect(complete('causeway listen --f')).toEqual(['--forward-to'])
})

test('request prints the response of the app, and fails if its status is an error', async () => {
  const received: string[] = []
  world.platform.relay = async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    received.push(`${req.method} ${req.url?.split('/relay')[1]} ${req.headers['content-type']} ${body}`)
    res.writeHead(body === '' ? 404 : 200, { 'X-Service-Source': 'workload' }).end('{"a":1}\n')
  }
  const minted = await world.mint()
  const link = await world.completeToTheEnd(minted, (await world.consent(minted)).query)
  const send = (...words: string[]) => run(['request', link.connectionId, ...words], { env: signedIn })

  const posted = await send('/v1/x', '--data', '{"b":2}')
  const missing = await send('https://api.example/v1/y')

  expect(posted).toMatchObject({ code: 0, out: '{"a":1}' })
  expect(missing).toMatchObject({ code: 1, out: '{"a":1}', err: 'The app answered 404 Not Found.' })
  expect(received).toEqual(['POST /-/v1/x application/json {"b":2}', 'GET /api.example/v1/y undefined '])
})

test('audit verify checks a tenant’s chain, and remembers its head', async () => {
  await world.mint()
  await sealAudit(world.ports)
  const first = await run(['audit', 'verify'], { env: signedIn })
  await world.mint()
  await sealAudit(world.ports)
  const second = await run(['audit', 'verify', '--json'], { env: signedIn, folder: first.folder })
  await world.sql.query(
    "begin; set local session_replication_role = replica; delete from audit_blocks where chain = 'acme' and first > 1; commit",
  )
  const cut = await run(['audit', 'verify'], { env: signedIn, folder: first.folder })
  await world.sql.query(
    "begin; set local session_replication_role = replica; update audit set action = 'link.verified' where tenant = 'acme'; commit",
  )
  const changed = await run(['audit', 'verify'], { env: signedIn })

  expect(first).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Verified \d+ positions of acme\. The head is [\w-]{43}\./),
  })
  expect(JSON.parse(second.out)).toMatchObject({ tenantId: 'acme', position: expect.any(Number) })
  expect(cut).toMatchObject({ code: 1, err: expect.stringContaining('The chain is shorter than a head') })
  expect(changed).toMatchObject({ code: 1, err: expect.stringContaining('Position 1: The entry was changed.') })
})

test('audit verify exits with 75 if the deployment is away', async () => {
  const away = { CAUSEWAY_URL: 'http://127.0.0.1:9', CAUSEWAY_API_KEY: world.key }

  expect(await run(['audit', 'verify', '--tenant', 'acme'], { env: away })).toMatchObject({ code: 75 })
})

test('mcp-clients lists the logins of a connection, and policies takes one of them', async () => {
  const file = join(temporaryFolder(), 'policy.json')
  writeFileSync(file, JSON.stringify({ readOnly: true }))
  const minted = await world.mint({ endUser: { id: 'user-of-clients' } })
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  const of = ['--connection', body.connectionId, '--login', 'fg_1']

  const clients = await run(['mcp-clients', body.connectionId], { env: signedIn })
  const put = await run(['policies', 'put', file, ...of], { env: signedIn })
  const read = await run(['policies', ...of, '--json'], { env: signedIn })
  const alone = await run(['policies', '--tenant', 'acme', '--login', 'fg_1'], { env: signedIn })

  expect(clients.out).toMatch(/^fg_1 /m)
  expect(put.code).toBe(0)
  expect(JSON.parse(read.out).policy).toEqual({ readOnly: true })
  expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('--login needs --connection') })
})

test('policies are put, listed with their versions and rolled back', async () => {
  const file = join(temporaryFolder(), 'policy.json')
  writeFileSync(file, JSON.stringify({ deny: ['send_message'] }))
  const of = ['--tenant', 'acme']
  const command = (...words: string[]) => run(['policies', ...words, ...of], { env: signedIn })

  const put = await command('put', file, '--reason', 'trial')
  const version = (await world.api('GET', '/tenants/acme/tool-policy')).body.version
  const removed = await command('remove')
  const back = await command('rollback', String(version))
  const wrong = await command('rollback', 'first')
  const history = await command('history')
  const read = await command('--json')

  expect([put, removed, back, wrong].map(({ code }) => code)).toEqual([0, 0, 0, 2])
  expect(history.out.split('\n').map((line) => line.trim().split(/ +/).at(-1))).toEqual([
    'REASON',
    'deny',
    'deny',
    'trial',
  ])
  expect(JSON.parse(read.out).policy).toEqual({ deny: ['send_message'] })
})
