import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'
import { findProgram } from '../../../scripts/set-up/commands.mjs'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { waitFor } from '../oracles/wait-for.ts'
import { temporaryFolder } from './stores.ts'

export type PoolMode = 'session' | 'transaction'

/** PgBouncer in front of a PostgreSQL, by default that of the run. */
export async function startPgBouncer(
  mode: PoolMode,
  settings: Record<string, string | number> = {},
  server = inject('postgres'),
) {
  const port = Number(settings.listen_port) || (await freePort())
  const file = join(temporaryFolder(), 'pgbouncer.ini')
  writeFileSync(file, configuration(server, { listen_port: port, pool_mode: mode, ...settings }))
  const program = findProgram(['pgbouncer', '/usr/sbin/pgbouncer']) ?? 'pgbouncer'
  const child = spawn(program, [file], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'exit')
  await Promise.race([
    waitFor('PgBouncer listens', () => listens(port)),
    exited.then(() => Promise.reject(new Error(`PgBouncer ended: ${output}`))),
  ])
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
  }
  return {
    /** The address of a database through the pooler. */
    through: (databaseUrl: string) => Object.assign(new URL(databaseUrl), { port }).href,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

function configuration(server: string, settings: Record<string, string | number>): string {
  const { hostname, port, username, password } = new URL(server)
  const lines = {
    listen_addr: '127.0.0.1',
    unix_socket_dir: '',
    auth_type: 'any',
    ...(process.getuid?.() === 0 && { user: 'nobody' }), // it refuses to run as root
    ...settings,
  }
  return [
    '[databases]',
    `* = host=${hostname} port=${port} user=${username} password=${password}`,
    '[pgbouncer]',
    ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
    '',
  ].join('\n')
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.end())
  })
