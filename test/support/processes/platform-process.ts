// The platform as a separate process, on a database of a world.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { keysOf } from '../worlds/function-world.ts'
import type { PlatformWorld } from '../worlds/platform-world.ts'
import { bundled } from './bundled-programs.ts'

export async function startPlatformProcess({ config }: PlatformWorld, env: NodeJS.ProcessEnv = {}) {
  const child: ChildProcess = spawn(process.execPath, [bundled('platform/main')], {
    env: {
      DATABASE_URL: config.databaseUrl,
      ENCRYPTION_KEYS: keysOf(config),
      DATA_FOLDER: config.dataFolder,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      RATE_KEY_PER_MINUTE: '1000000',
      PATH: process.env.PATH,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [{ port }] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('the platform ended before it was ready'))),
  ])) as [{ port: number }]
  return {
    url: `http://127.0.0.1:${port}`,
    /** Kills the process. */
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
