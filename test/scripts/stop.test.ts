// O5: a signal to `npm run <program>` reaches the program, and the port is free afterwards.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => resolve(socket.destroy() !== undefined))
    socket.once('error', () => resolve(false))
  })

test('O5: SIGTERM to npm ends the program it started', async () => {
  const port = await freePort()
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: await createTestDatabase('platform'),
    DRAIN_SECONDS: '0',
    ENCRYPTION_KEYS: `test:${'ab'.repeat(32)}`,
    LOG_LEVEL: 'silent',
  }
  const npm = spawn('npm', ['run', 'platform'], {
    env: { ...process.env, ...settings },
    stdio: 'ignore',
    detached: true,
  })
  try {
    await waitFor('it listens', () => answers(port))

    npm.kill('SIGTERM')
    await once(npm, 'exit')

    await waitFor('nobody listens any more', async () => !(await answers(port)))
    expect(await answers(port)).toBe(false)
  } finally {
    endGroup(npm.pid)
  }
})

/** Kills processes that the signal did not end. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has ended.
  }
}
