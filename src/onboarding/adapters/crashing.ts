// The same ports with a crash point on either side of each action. Nothing wraps them unless CRASH_AT is set.
import type { Action } from '../domain/crash-point.ts'
import type { ConnectionTasks } from '../domain/ports/connections.ts'
import type { PendingAuthorizations } from '../domain/ports/linking.ts'
import type { Platform } from '../domain/ports/platform.ts'
import type { Provider } from '../domain/ports/provider.ts'
import type { Links } from '../domain/ports/provisioning.ts'

export type Crashable = {
  links: Links
  pending: PendingAuthorizations
  provider: Provider
  platform: Platform
  tasks: ConnectionTasks
}

export function crashing({ links, pending, provider, platform, tasks }: Crashable, pass: PassPoint): Crashable {
  const around = async <T>(action: Action, act: () => Promise<T>): Promise<T> => {
    await pass(`before.${action}`)
    const result = await act()
    await pass(`after.${action}`)
    return result
  }
  return {
    links: {
      ...links,
      open: (...args) => around('links.open', () => links.open(...args)),
      move: (link, to, ...rest) => around(`links.${to}`, () => links.move(link, to, ...rest)),
      postpone: (...args) => around('links.postpone', () => links.postpone(...args)),
    },
    pending: {
      put: (...args) => around('pending.put', () => pending.put(...args)),
      claim: (...args) => around('pending.claim', () => pending.claim(...args)),
    },
    provider: {
      ...provider,
      exchange: (request) => {
        const keep: typeof request.keep = (raw) => around('provider.keep', () => request.keep(raw))
        return around('provider.exchange', () => provider.exchange({ ...request, keep }))
      },
      refresh: (request) => {
        const keep: typeof request.keep = (raw) => around('provider.keep_trial_refresh', () => request.keep(raw))
        return around('provider.refresh', () => provider.refresh({ ...request, keep }))
      },
      revoke: (...args) => around('provider.revoke', () => provider.revoke(...args)),
    },
    platform: {
      createConnection: (...args) => around('platform.connection', () => platform.createConnection(...args)),
      createFunction: (...args) => around('platform.function', () => platform.createFunction(...args)),
      verifyFunction: (...args) => around('platform.verification', () => platform.verifyFunction(...args)),
      replaceConnection: (...args) => around('platform.replacement', () => platform.replaceConnection(...args)),
      pointFunction: (...args) => around('platform.pointing', () => platform.pointFunction(...args)),
      deleteFunction: (...args) => around('platform.function_removal', () => platform.deleteFunction(...args)),
      deleteConnection: (...args) => around('platform.connection_removal', () => platform.deleteConnection(...args)),
      restartFunction: (...args) => platform.restartFunction(...args),
      tryTool: (...args) => around('platform.trial', () => platform.tryTool(...args)),
    },
    tasks: {
      ...tasks,
      open: (...args) => around('tasks.open', () => tasks.open(...args)),
      move: (task, step, ...rest) => around('tasks.move', () => tasks.move(task, step, ...rest)),
      fail: (...args) => around('tasks.fail', () => tasks.fail(...args)),
      finishDisconnect: (...args) => around('tasks.disconnected', () => tasks.finishDisconnect(...args)),
      finishRollback: (...args) => around('tasks.rolled_back', () => tasks.finishRollback(...args)),
    },
  }
}

/** A named place in the program, and on which visit to it the process dies. */
export type CrashPoint = { name: string; visit: number }

/** Whoever passes waits for it: one that never answers keeps them there for ever. */
export type PassPoint = (name: string) => void | Promise<void>

/**
 * Ends this very process when it comes to the point, as a power cut would: no handler runs, nothing is flushed.
 * Fault tests ask for it; a program that is not asked never wraps anything with it.
 */
export function crashAt({ name, visit }: CrashPoint): PassPoint {
  let visits = 0
  return (passed) => {
    if (passed === name && ++visits === visit) process.kill(process.pid, 'SIGKILL')
  }
}
