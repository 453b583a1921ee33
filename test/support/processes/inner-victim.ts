// A program inside the test's process that stops at a crash point like a killed one: it never continues, and all its
// connections are cut. It starts in a tenth of the time of a process.
import { listen } from '../../../src/kit/http/http-server.ts'
import { ignoreError } from '../../../src/kit/process/ignore-error.ts'
import { repeat } from '../../../src/kit/process/repeat.ts'
import { assemble, openWorld } from '../../../src/onboarding/compose.ts'
import { readConfig } from '../../../src/onboarding/config.ts'
import { resumeTasks } from '../../../src/onboarding/connections/flows/work-on-task.ts'
import { expireStalledLinks } from '../../../src/onboarding/provisioning/flows/stalled-links/end-stalled-link.ts'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { startCuttingProxy } from '../doubles/cutting-proxy.ts'
import { logRecorder } from '../oracles/recorders.ts'
import { countVisits, crashing } from './crashing.ts'
import type { Fleet } from './onboarding-process.ts'

export type InnerVictim = Awaited<ReturnType<typeof startInnerVictim>>

/** `at`: a crash point, optionally with `:<visit>`. Without it the victim dies when it is killed. */
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
  const { app, ports, settings } = assemble(config, world)
  const server = await listen(app, { ...config, port: 0 })
  const loops = [sweepLinks, expireStalledLinks, resumeTasks].map((work) =>
    repeat('loop', 100, () => work(ports, settings), world),
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

/** After its death, no point is passed. */
function lifeUntil(at: string, die: () => void) {
  const isDue = at ? countVisits(at) : () => false
  let dead = false
  const end = () => {
    if (dead) return
    dead = true
    die()
  }
  return {
    end,
    pass(passed: string): Promise<void> | undefined {
      if (!dead && isDue(passed)) end()
      return dead ? new Promise(() => {}) : undefined
    },
  }
}

function through(address: string, line: { port: number } | undefined): string {
  const url = new URL(address)
  url.port = String(line?.port)
  return url.href
}
