import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { StartError } from '../../src/kit/process/start-error.ts'
import { runCommandLine } from '../../src/onboarding/command-line.ts'
import { openWorld } from '../../src/onboarding/compose.ts'
import { readConfig } from '../../src/onboarding/config.ts'
import { rotateEncryption } from '../../src/onboarding/flows/rotate-encryption.ts'
import { sealAudit } from '../../src/onboarding/flows/seal-audit.ts'
import { providerClient } from '../support/doubles/provider/provider.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { createTestDatabase, temporaryFolder } from '../support/processes/stores.ts'
import { startOnboarding } from '../support/worlds/onboarding-world.ts'

const run = promisify(execFile)

/** As it is deployed: how the program around the commands prints and ends. */
const deployed = 'dist/onboarding/cli.js'

const command = async (env: Record<string, string>, ...words: string[]) => {
  const { stdout } = await run(process.execPath, [deployed, ...words], { env })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** In this process; a refusal is thrown as what the program would have printed, and its exit code. */
async function causeway(env: Record<string, string>, ...words: string[]) {
  const stdout: string[] = []
  const print = (value: object) => void stdout.push(JSON.stringify(value))
  await runCommandLine(words, { env, print, warn: () => {} }).catch((error) => {
    if (!(error instanceof StartError)) throw error
    throw Object.assign(error, { code: 1, stderr: [error.lines].flat().join('\n'), stdout: stdout.join('\n') })
  })
  return stdout.map((line) => JSON.parse(line))
}

test('keys rotate-encryption requires every process to use the new key, rewraps everything, and reports a missing key', async () => {
  const world = await startOnboarding()
  const fresh = `fresh:${randomBytes(32).toString('base64url')}`
  const both = { ...world.env, ENCRYPTION_KEYS: `${fresh},${world.env.ENCRYPTION_KEYS}` }

  const beside = await causeway(both, 'keys', 'rotate-encryption').catch((error) => error)
  await world.restart(both)
  const refused = await causeway({ ...world.env, ENCRYPTION_KEYS: fresh }, 'keys', 'rotate-encryption').catch(
    (error) => error,
  )
  const first = await causeway(both, 'keys', 'rotate-encryption')
  const second = await causeway({ ...world.env, ENCRYPTION_KEYS: fresh }, 'keys', 'rotate-encryption')

  expect(beside).toMatchObject({ code: 1, stderr: expect.stringContaining('a running process seals by the key test') })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('still encrypted with another key') })
  expect(first).toContainEqual({ column: 'tenants.signing_secret', rewrapped: 1, others: 0 })
  expect(second).toContainEqual({ column: 'tenants.signing_secret', rewrapped: 0, others: 0 })
  await world.close()
})

test('refuses to start without a key that is still in use, and starts once a rotation has replaced it', async () => {
  const world = await startOnboarding()
  const fresh = `fresh:${randomBytes(32).toString('base64url')}`
  const starting = (keys: string) => openWorld(readConfig({ ...world.env, ENCRYPTION_KEYS: keys }))
  const list = `${fresh},${world.env.ENCRYPTION_KEYS}`
  const [alone, both] = [starting(fresh), starting(list)]
  const old = starting(world.env.ENCRYPTION_KEYS)

  const early = await alone.prepare().catch((error) => error)
  await world.restart({ ENCRYPTION_KEYS: list })
  await both.prepare()
  const rotated = await rotateEncryption(both, { kind: 'operator' })
  const late = await alone.prepare().catch((error) => error)
  const backwards = await old.prepare().catch((error) => error)

  expect(early).toBeInstanceOf(StartError)
  expect(early.message).toMatch(/ENCRYPTION_KEYS: lacks test, which sealed values/)
  expect(rotated.every(({ others }) => others === 0)).toBe(true)
  expect(late).toBeUndefined()
  expect(backwards.message).toMatch(/ENCRYPTION_KEYS: lacks fresh/)
  await Promise.all([alone, both, old, world].map((each) => each.close()))
})

test('S3: refuses to start with another key under a known ID', async () => {
  const world = await startOnboarding()
  const other = openWorld(readConfig({ ...world.env, ENCRYPTION_KEYS: `test:${randomBytes(32).toString('hex')}` }))

  const refused = await other.prepare().catch((error) => error)

  expect(refused).toBeInstanceOf(StartError)
  expect(refused.message).toMatch(/ENCRYPTION_KEYS: test is not the key that sealed/)
  await Promise.all([other, world].map((each) => each.close()))
})

test('a key created by the CLI works only for its tenant, is shown once, and stops when revoked', async () => {
  const world = await startOnboarding()
  const other = { workspace: 'globex', displayName: 'Globex', returnUrls: ['https://globex.example/return'] }
  await world.api('PUT', '/tenants/globex', other)

  const [created] = await causeway(world.env, 'keys', 'create', '--name', 'portal', '--tenant', 'acme')
  const api = world.apiAs(created.key)
  const [own, foreign] = [await api('GET', '/tenants/acme'), await api('GET', '/tenants/globex')]
  const listed = await causeway(world.env, 'keys', 'list')
  const revoked = await causeway(world.env, 'keys', 'revoke', created.id)
  const afterwards = await waitFor('the key is refused', async () => {
    const { status } = await api('GET', '/tenants/acme')
    return status === 401 && status
  })

  expect([own.status, foreign.status]).toEqual([200, 404])
  expect(listed).toContainEqual(expect.objectContaining({ id: created.id, name: 'portal', tenant: 'acme' }))
  expect(JSON.stringify(listed)).not.toContain(created.key.slice('cwk_'.length))
  expect(revoked).toEqual([{ id: created.id, revoked: true }])
  expect(afterwards).toBe(401)
  await world.close()
})

test('a command exits 75 without a stack trace if a store is unavailable', async () => {
  const world = await startOnboarding()
  const blocker = new pg.Client(world.env.DATABASE_URL)
  await blocker.connect()
  await blocker.query('begin; lock table api_keys')

  const failed = await run(process.execPath, [deployed, 'keys', 'create', '--name', 'x'], { env: world.env }).catch(
    (error) => error,
  )

  expect(failed).toMatchObject({ code: 75, stdout: '' })
  expect(failed.stderr).toMatch(/^causeway: PostgreSQL \S+ is unavailable \(.*timeout.*\): try again\n$/)
  await blocker.end()
  await world.close()
})

test('a command that waits for another migration prints its result alone', async () => {
  const world = await startOnboarding()
  const env = { ...world.env, DATABASE_URL: await createTestDatabase() }
  const other = new pg.Client(env.DATABASE_URL)
  await other.connect()
  await other.query('select pg_advisory_lock(20260415)')

  const creating = run(process.execPath, [deployed, 'keys', 'create', '--name', 'x'], { env })
  await once(creating.child.stderr as Readable, 'data')
  await other.end()
  const { stdout, stderr } = await creating

  expect(stderr).toContain('migration.waits')
  expect(JSON.parse(stdout)).toEqual({ id: expect.any(String), key: expect.stringMatching(/^cwk_/) })
  await world.close()
})

test('creates no key for an unknown tenant', async () => {
  const world = await startOnboarding()

  const creation = command(world.env, 'keys', 'create', '--name', 'x', '--tenant', 'nobody')
  const { code, stderr } = await creation.catch((error) => error)

  expect(code).toBe(1)
  expect(stderr).toContain('There is no tenant nobody')
  expect(await command(world.env, 'keys', 'list')).toHaveLength(1)
  await world.close()
})

test('an unknown command prints the usage', async () => {
  const { code, stderr } = await causeway({}, 'keys', 'turn').catch((error) => error)

  expect(code).toBe(1)
  expect(stderr).toContain('keys rotate-encryption')
})

test('doctor prints one line per finding and exits 1 if there is a problem', async () => {
  const world = await startOnboarding()
  const file = join(temporaryFolder(), 'integrations.json')
  const { integrations } = JSON.parse(readFileSync(world.env.INTEGRATIONS_FILE, 'utf8'))
  writeFileSync(
    file,
    JSON.stringify({ integrations: [{ ...integrations[0], clientSecret: integrations[0].clientId }] }),
  )

  const sound = await causeway(world.env, 'doctor', 'provider')
  const broken = await causeway({ ...world.env, INTEGRATIONS_FILE: file }, 'doctor', '--offline').catch(
    (error) => error,
  )
  const elsewhere = await causeway({ ...world.env, PUBLIC_URL: 'http://127.0.0.1:1' }, 'doctor', 'provider').catch(
    (error) => error,
  )
  const unknown = await causeway(world.env, 'doctor', 'nothing').catch((error) => error)

  expect(sound).toContainEqual(expect.objectContaining({ layer: 'network', check: 'token_endpoint', verdict: 'ok' }))
  expect(sound).toContainEqual(expect.objectContaining({ layer: 'deployment', check: 'public_url', verdict: 'ok' }))
  expect(elsewhere).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"check":"public_url","verdict":"wrong"'),
  })
  expect(broken.stdout).not.toContain('public_url')
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('one check is wrong') })
  expect(broken.stdout).toContain('"cause":"client_rejected"')
  expect(unknown).toMatchObject({ code: 1 })
  await world.close()
})

test('import reports every malformed line, and imports the others only on request', async () => {
  const world = await startOnboarding({ integration: { rotation: 'none' } })
  const folder = temporaryFolder()
  const [file, open] = [join(folder, 'grants.csv'), join(folder, 'open.csv')]
  world.provider.issued.push({
    ...{ code: '', revoked: false, client: providerClient.id },
    token: 'CANARY-RT-good',
    subject: 'account-1',
  })
  const lines = [
    'key,integration,end_user_id,end_user_email,refresh_token',
    '1,provider,user-1,,CANARY-RT-good',
    '2,provider,user-2,CANARY-RT-2',
    ',provider,,no-address,CANARY-RT-3',
    '4,provider,"user"-4,,CANARY-RT-4',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  writeFileSync(open, `${lines.join('\n')}\n5,provider,"user-5,,CANARY-RT-5\n`)
  const importing = (...args: string[]) => causeway(world.env, 'import', ...args, '--tenant', 'acme').catch((e) => e)

  const refused = await importing(file)
  const counted = await world.api('GET', '/imports')
  const tried = await importing(file, '--dry-run')
  const skipped = await importing(file, '--skip-malformed')
  const endless = await importing(open, '--skip-malformed')

  const malformed = [
    { line: 3, malformed: 'has 4 cells, but line 1 has 5' },
    { line: 4, malformed: 'key is required; end_user_id is required; end_user_email must be an email address' },
    { line: 5, malformed: 'text follows a closing quote' },
  ]
  const printed = ({ stdout }: { stdout: string }) => stdout.split('\n').map((line) => JSON.parse(line))
  expect([refused, tried, skipped, endless].map(({ code }) => code)).toEqual([1, 1, 1, 1])
  expect(printed(refused)).toEqual(malformed)
  expect(refused.stderr).toBe(
    '3 lines are malformed, and nothing was imported: correct them, or import the others with --skip-malformed',
  )
  expect(counted.body.data).toEqual([])
  expect(printed(tried).slice(0, 3)).toEqual(malformed)
  expect(tried.stderr).toBe('3 lines are malformed')
  expect(printed(skipped).at(-1)).toMatchObject({ status: 'done', counts: { linked: 1, failed: 0, invalid: 0 } })
  expect(skipped.stderr).toBe('3 lines are malformed; the others were imported')
  expect(printed(endless)).toEqual([
    ...malformed,
    { line: 6, malformed: 'a quote is not closed, so the rest of the file was not read' },
  ])
  expect(endless.stderr).toContain('nothing was imported')
  expect([refused, tried, skipped, endless].map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain('CANARY')
  await world.close()
})

test('import uploads a file, processes it, reports, and can be repeated', async () => {
  const world = await startOnboarding({ integration: { rotation: 'none' } })
  const folder = temporaryFolder()
  const [file, report] = [join(folder, 'grants.csv'), join(folder, 'report.csv')]
  const more = { code: '', revoked: false, client: providerClient.id }
  world.provider.issued.push({ ...more, token: 'CANARY-RT-csv', subject: 'account-1' })
  const lines = [
    'key,integration,end_user_id,end_user_name,refresh_token',
    '1,provider,user-1,"One, User",CANARY-RT-csv',
    '2,provider,user-2,,CANARY-RT-dead',
    '3,nothing,user-3,,CANARY-RT-3',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const bare = join(folder, 'bare.csv')
  writeFileSync(bare, '1,provider,user-1,CANARY-RT-csv\n')
  const importing = (...args: string[]) => causeway(world.env, 'import', ...args, '--tenant', 'acme')

  const tried = await importing(file, '--dry-run')
  const first = await importing(file, '--report', report)
  const second = await importing(file)
  const headless = await importing(bare).catch((error) => error)

  expect(tried).toHaveLength(2)
  expect(tried[1]).toMatchObject({ line: 4, key: '3', status: 'invalid', code: 'integration_unknown' })
  expect(first.at(-1)).toMatchObject({ status: 'done', counts: { linked: 1, failed: 1, invalid: 1 } })
  expect(second.at(-1)).toMatchObject({ id: first[0].importId, counts: { linked: 1, failed: 1, invalid: 1 } })
  expect(world.provider.seen.tokenRequests).toHaveLength(2)
  const told = readFileSync(report, 'utf8')
  expect(told.split('\r\n').map((line) => line.split(',').slice(0, 4))).toEqual([
    ['key', 'status', 'code', 'whose_move'],
    ['1', 'linked', '', ''],
    ['2', 'failed', 'grant_revoked', 'user'],
    ['3', 'invalid', 'integration_unknown', 'operator'],
    [''],
  ])
  expect(headless.stderr).toContain('line 1 must name the columns')
  expect(JSON.stringify([tried, first, second, told, headless.stderr])).not.toContain('CANARY')
  await world.close()
})

test('find prints the page, logs and calls of a link, without its user', async () => {
  const world = await startOnboarding()
  const minted = await world.mint()
  const { id } = (await world.complete(minted, (await world.consent(minted)).query)).body
  const env = { ...world.env, LOGS_URL_TEMPLATE: 'https://logs.example/?q={link}' }

  const [shown] = await causeway(env, 'find', id)
  const unknown = await causeway(env, 'find', 'lnk_none').catch((error) => error)
  const incomplete = await causeway(env, 'find').catch((error) => error)

  expect(shown).toMatchObject({
    id,
    state: 'linked',
    page: `${world.env.PUBLIC_URL}/support/links/${id}`,
    logs: { query: `"link":"${id}"`, url: `https://logs.example/?q=${id}` },
    trace: null,
    whyNoTrace: 'Traces were off when this link began. The operator can turn them on.',
  })
  expect(shown.calls[0]).toMatchObject({ call: 'token', status: 200, attempt: 1 })
  expect(JSON.stringify(shown)).not.toContain('user@acme.example')
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no link has the ID lnk_none') })
  expect(incomplete).toMatchObject({ code: 1, stderr: expect.stringContaining('find LINK-ID') })
  await world.close()
})

test('audit verify checks all chains, names the first wrong position, and compares saved heads', async () => {
  const world = await startOnboarding()
  await world.mint()
  await sealAudit(world.ports)
  const heads = join(temporaryFolder(), 'heads.jsonl')

  const saved = await causeway(world.env, 'audit', 'heads')
  writeFileSync(heads, saved.map((head) => `${JSON.stringify(head)}\n`).join(''))
  const whole = await causeway(world.env, 'audit', 'verify', '--heads', heads)
  await world.sql.query(`begin; set local session_replication_role = replica;
    update audit set facts = '{}' where action = 'session.minted'; delete from audit_blocks where chain = ''; commit`)
  const broken = await causeway(world.env, 'audit', 'verify', '--heads', heads).catch((error) => error)
  const onlyAcme = await causeway(world.env, 'audit', 'verify', '--tenant', 'acme').catch((error) => error)
  writeFileSync(heads, 'not a head\n')
  const unreadable = await causeway(world.env, 'audit', 'verify', '--heads', heads).catch((error) => error)
  const usage = await causeway(world.env, 'audit').catch((error) => error)

  expect(saved.map(({ tenantId }) => tenantId)).toEqual([undefined, 'acme'])
  expect(whole).toEqual([{ chains: 2, broken: 0, verified: expect.any(Number) }])
  expect(broken).toMatchObject({ code: 1, stderr: '2 audit chains are broken' })
  const lines = broken.stdout.split('\n').map((line: string) => JSON.parse(line))
  expect(lines).toMatchObject([
    { position: 1, problem: 'inserted' },
    { tenantId: 'acme', position: 2, problem: 'changed', detail: 'An entry was changed.' },
    { chains: 2, broken: 2 },
  ])
  expect(onlyAcme).toMatchObject({ code: 1, stderr: 'one audit chain is broken' })
  expect(unreadable).toMatchObject({ code: 1, stderr: expect.stringContaining('line 1: not a head') })
  expect(usage).toMatchObject({ code: 1, stderr: expect.stringContaining('audit verify [--tenant ID]') })
  await world.close()
})
