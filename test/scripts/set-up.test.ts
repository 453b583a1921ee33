import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/processes/stores.ts'

const scripts = new URL('../../scripts/set-up/', import.meta.url).href

test('installs a missing redis-server and prints one line', () => {
  const machine = machineWith({ installs: 'redis-server' })

  const first = machine.setUp('redis')
  const second = machine.setUp('redis')

  expect(first.lines).toEqual([expect.stringMatching(/^Installing redis-server from the system packages … \d+ s$/)])
  expect(first.status).toBe(0)
  expect(second).toEqual({ lines: [], status: 0 })
})

test('without a package manager, prints what to install and how', () => {
  const machine = machineWith({})

  const { lines, status } = machine.setUp('redis')

  expect(lines).toEqual([expect.stringMatching(/^Redis is missing: install it \(.*apt-get install redis-server/)])
  expect(status).toBe(1)
})

test('prints the output of a failed installation', () => {
  const machine = machineWith({ fails: 'E: Unable to locate package' })

  const { lines, status } = machine.setUp('redis')

  expect(lines[0]).toBe('Installing redis-server from the system packages … not done')
  expect(lines[1]).toBe('E: Unable to locate package')
  expect(lines[2]).toMatch(/^Redis is missing: install it/)
  expect(status).toBe(1)
})

test('installs nothing if REDIS_URL is set', () => {
  const machine = machineWith({ fails: 'asked for nothing' })

  const { lines, status } = machine.setUp('redis', { REDIS_URL: 'redis://127.0.0.1:1' })

  expect({ lines, status }).toEqual({ lines: [], status: 0 })
})

test('the demo continues without Redis and reports it', () => {
  const machine = machineWith({})

  const { lines, status, store } = machine.setUp('redisForDemo')

  expect(lines).toEqual([expect.stringMatching(/^Redis is missing, so sign-ins .* are forgotten when the demo ends/)])
  expect({ status, store }).toEqual({ status: 0, store: 'in-process' })
})

test('the demo does not install Redis if CAUSEWAY_STORE is in-process', () => {
  const machine = machineWith({ fails: 'asked for nothing' })

  const { lines, store } = machine.setUp('redisForDemo', { CAUSEWAY_STORE: 'in-process' })

  expect({ lines, store }).toEqual({ lines: [], store: 'in-process' })
})

test('uses the browser that CHROMIUM_PATH names', () => {
  const machine = machineWith({})

  const { lines, status } = machine.setUp('chromium', { CHROMIUM_PATH: process.execPath })

  expect({ lines, status }).toEqual({ lines: [], status: 0 })
})

test('skips the faster browser if the package manager does not offer it', () => {
  const machine = machineWith({ fails: 'asked for nothing' })

  const { lines, status } = machine.setUp('fastChromium')

  expect({ lines, status }).toEqual({ lines: [], status: 0 })
})

test.runIf(process.platform === 'linux')('tests continue without the faster browser and report it', () => {
  const machine = machineWith({ fails: 'no network', offers: true })

  const { lines, status } = machine.setUp('fastChromium')

  expect(lines.at(-1)).toMatch(/^chromium-headless-shell is missing, so the journeys take longer/)
  expect(status).toBe(0)
})

/** A PATH with only a package manager, which installs one program or fails. */
function machineWith({ installs, fails, offers }: { installs?: string; fails?: string; offers?: boolean }) {
  const bin = join(temporaryFolder(), 'bin')
  mkdirSync(bin)
  for (const tool of ['env', 'true']) symlinkSync(`/usr/bin/${tool}`, join(bin, tool))
  const program = (name: string, body: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  if (installs)
    for (const name of ['apt-get', 'brew']) program(name, `: >${bin}/${installs}; /bin/chmod +x ${bin}/${installs}`)
  if (fails) for (const name of ['apt-get', 'brew']) program(name, `echo '${fails}' >&2; exit 100`)
  if (offers) program('apt-cache', 'exit 0')
  if (installs || fails) program('sudo', 'shift; exec "$@"')
  return { setUp: (step: string, env: Record<string, string> = {}) => setUp(step, { ...env, PATH: bin }) }
}

function setUp(step: string, env: Record<string, string>) {
  const script = `
    import { runScript, setUp } from '${scripts}set-up.mjs'
    import { ${step} } from '${scripts}steps.mjs'
    await runScript(() => setUp([${step}]))
    process.stdout.write(process.env.CAUSEWAY_STORE ?? '')`
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    env,
    encoding: 'utf8',
  })
  // Another test run may be setting up this checkout.
  const lines = stderr.split('\n').filter((line) => line && !line.startsWith('Waiting for another set-up'))
  return { status, lines, ...(stdout && { store: stdout }) }
}
