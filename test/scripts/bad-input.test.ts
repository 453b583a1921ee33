import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDataFolder } from '../../scripts/data-folder.mjs'
import { bundled } from '../support/processes/bundled-programs.ts'
import { createRedisDatabase, createTestDatabase, temporaryFolder } from '../support/processes/stores.ts'

type Settings = Record<string, string>
type Ending = { lines: string[]; status: number | null }

const key = 'ab'.repeat(32)
const occupied = createServer()
const sound: Record<'onboarding' | 'platform', Settings> = { onboarding: {}, platform: {} }
let redisUrl: string

beforeAll(async () => {
  occupied.listen(0, '127.0.0.1')
  redisUrl = await createRedisDatabase()
  const common = { HOST: '127.0.0.1', PORT: '0', ENCRYPTION_KEYS: `test:${key}`, LOG_LEVEL: 'silent' }
  sound.platform = { ...common, DATABASE_URL: await createTestDatabase('platform') }
  sound.onboarding = {
    ...common,
    DATABASE_URL: await createTestDatabase('onboarding'),
    PUBLIC_URL: 'http://127.0.0.1:3000',
    REDIS_URL: redisUrl,
    SIGNING_KEY: key,
    PLATFORM_URL: 'http://127.0.0.1:3100/v0',
    PLATFORM_API_KEY: 'key',
  }
})

afterAll(async () => {
  occupied.close()
})

const takenPort = () => String((occupied.address() as AddressInfo).port)

// Both programs start by the code of src/kit/process.
test('a program reports in one line that its port is in use', async () => {
  const ending = await run('onboarding', { ...sound.onboarding, PORT: takenPort() })

  expect(ending.lines).toEqual([expect.stringMatching(`^onboarding: port ${takenPort()} on 127.0.0.1 is taken`)])
  expect(ending.status).toBe(1)
})

test('a program lists every error, one line each, without the values', async () => {
  const mistakes = {
    ENCRYPTION_KEYS: '',
    LOG_LEVEL: 'loud-secret',
    DATABASE_URL: 'mysql://secret@127.0.0.1/x',
    PORT: '-1',
  }

  const ending = await run('platform', { ...sound.platform, ...mistakes })

  expect(ending.lines.sort()).toEqual([
    'platform: DATABASE_URL: must be a postgres:// address',
    'platform: ENCRYPTION_KEYS: is missing; see .env*.example',
    expect.stringMatching(/^platform: LOG_LEVEL: (?!.*secret)/),
    expect.stringMatching(/^platform: PORT: /),
  ])
  expect(ending.status).toBe(1)
})

test.each([
  ['is not a Redis address', 'http://127.0.0.1', 'must be a redis://'],
  ['leads to no server', 'redis://127.0.0.1:1', 'no Redis answers there'],
])('onboarding reports in one line that REDIS_URL %s', async (_, value, reason) => {
  // A short timeout only where Redis is unreachable. A slow machine needs longer to reach existing stores.
  const ending = await run('onboarding', { ...sound.onboarding, REDIS_URL: value, START_WAIT_SECONDS: '1' })

  expect(ending.lines).toEqual([expect.stringContaining(`onboarding: REDIS_URL: ${reason}`)])
  expect(ending.status).toBe(1)
})

test.each([
  ['a port is in use', () => ({ PORTAL_PORT: takenPort() }), 'PORTAL_PORT: port'],
  ['a value is unknown', () => ({ LOG_LEVEL: 'loud' }), 'LOG_LEVEL: '],
  ['its Redis is unavailable', () => ({ REDIS_URL: 'redis://127.0.0.1:1' }), 'REDIS_URL: no Redis answers there'],
])('the demo reports in one line that %s, and leaves nothing running', async (_, settings, line) => {
  const folder = temporaryFolder()

  const ending = await runDemo({ ...settings(), DEMO_DATA_DIR: folder })

  expect(ending.lines).toEqual([expect.stringContaining(line)])
  expect(ending.status).toBe(1)
  expect(await emptyDataFolder(folder)).toBe('emptied')
})

test.each<[string, string, string]>([
  ['a file is in its place', process.execPath, 'EEXIST'],
  ['a file is in the parent path', join(process.execPath, 'data'), 'ENOTDIR|EEXIST'], // the one of Node 20, the other of 26
  // fs.mkdir with `recursive` never returns there.
  ...(existsSync('/proc/self')
    ? [['the parent cannot be written', '/proc/none/data', 'ENOENT'] as [string, string, string]]
    : []),
])('the demo reports in one line that no data folder can be created if %s', async (_, folder, code) => {
  const ending = await runDemo({ DEMO_DATA_DIR: folder })

  const [line, ...more] = ending.lines
  expect(line?.replace(new RegExp(`\\((${code})\\)$`), '')).toBe(`DEMO_DATA_DIR: cannot create the folder ${folder} `)
  expect(more).toEqual([])
  expect(ending.status).toBe(1)
})

test('a failing operator command has a non-zero exit code', async () => {
  const ending = await start(['scripts/program.mjs', 'platform/cli', 'unknown-command'], {})

  expect(ending.status).toBe(1)
})

const run = (program: keyof typeof sound, env: Settings) => start([bundled(`${program}/main`)], env)

const runDemo = (env: Settings) => start(['--eval', `require('${bundled('demo/main')}').main()`], env)

async function start(args: string[], env: Settings): Promise<Ending> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [status] = await once(child, 'close')
  return { lines: said.split('\n').filter(Boolean), status }
}
