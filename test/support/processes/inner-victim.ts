// A program inside the test's own process that ends at a chosen moment as a killed one does: what it was doing never goes
// on, and everything that it is connected to is cut in the same moment. It starts in a tenth of the time of a process.
import { listen } from '../../../src/kit/http/http-server.ts'
import { ignoreError } from '../../../src/kit/process/ignore-error.ts'
import { repeat } from '../../../src/kit/process/repeat.ts'
import { crashing } from '../../../src/onboarding/adapters/crashing.ts'
import { assemble, openWorld } from '../../../src/onboarding/compose.ts'
import { readConfig } from '../../../src/onboarding/config.ts'
import { startCuttingProxy } from '../doubles/cutting-proxy.ts'
import { logRecorder } from '../oracles/recorders.ts'
import type { Fleet } from './onboarding-process.ts'

export type InnerVictim = Awaited<ReturnType<typeof startInnerVictim>>

/** `at`: the name of a crash point, and after a colon on which visit to it; without one it dies when it is killed. */
export async function startInnerVictim({ env, redis, databaseLine, platformLine }: Fleet, at = '') {
  const lines = await Promise.all([redis, databaseLine, platformLine].map(({ port }) => startCuttingProxy(port)))
  const [redisLine, ownDatabaseLine, ownPlatformLine] = lines
  const { log, lines: logged } = logRecorder()
  const config = readConfig({
    ...env,
    LOG_LEVEL: 'silent',
    REDIS_URL: through(env.REDIS_URL, redisLine),
    DATABASE_URL: through(env.DATABASE_URL, ownDatabaseLine),
    PLATFORM_URL: through(env.PLATFORM_URL, ownPlatformLine),
  })
  const opened = openWorld(config)
  let end = () => {}
  let died = () => {}
  const ended = new Promise<void>((resolve) => {
    died = resolve
  })
  const life = lifeUntil(at, () => {
    end()
    died()
  })
  const world = { ...opened, log, ...crashing(opened, life.pass) }
  await world.prepare()
  const { app, flows } = assemble(config, world)
  const server = await listen(app, { ...config, port: 0 })
  const loops = [flows.sweepLinks, flows.expireStalledLinks, flows.resumeTasks].map((work) =>
    repeat('loop', 100, work, world),
  )
  end = () => {
    for (const line of lines) line.close()
    for (const { stop } of loops) stop().catch(ignoreError('it is dead'))
    for (const close of [() => server.close(0), world.close]) close().catch(ignoreError('it is dead'))
  }
  return {
    port: server.port,
    /** As a killed process is reported. */
    ended: ended.then(() => ({ code: null, signal: 'SIGKILL' as const })),
    output: () => logged.join('\n'),
    kill: async () => life.end(),
  }
}

/** From the moment at which it dies on, nobody passes any point. */
function lifeUntil(at: string, die: () => void) {
  const [name, visit = '1'] = at.split(':')
  let visits = 0
  let dead = false
  const end = () => {
    if (dead) return
    dead = true
    die()
  }
  return {
    end,
    pass(passed: string): Promise<void> | undefined {
      if (!dead && passed === name && ++visits === Number(visit)) end()
      return dead ? new Promise(() => {}) : undefined
    },
  }
}

function through(address: string, line: { port: number } | undefined): string {
  const url = new URL(address)
  url.port = String(line?.port)
  return url.href
}
