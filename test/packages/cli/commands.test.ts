import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runCommandLine } from '../../../packages/cli/src/run.ts'
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
  [['lnks'], 2, 'causeway help lists the commands'],
  [['links', '--tenants', 'acme'], 2, "Unknown option '--tenants'"],
  [['tenants'], 1, 'Not signed in'],
  [['trigger'], 2, 'EVENT is missing'],
  [['listen'], 1, 'Not signed in'],
  [['keys', 'create', '--name', 'x'], 1, 'npm run causeway -- keys create --name x'],
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

test('trigger rejects a live tenant', async () => {
  const { code, err } = await run(['trigger', 'link.failed'], { env: signedIn })

  expect(code).toBe(1)
  expect(err).toContain('test_mode_only')
})

test('login rejects an address that is not https', async () => {
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
