// Ports with a crash point before and after each call.
import { linkStates } from '../../../src/onboarding/domain/link.ts'
import type { ConnectionTasks } from '../../../src/onboarding/domain/ports/connections.ts'
import { type AsyncMethod, intercept } from '../../../src/onboarding/domain/ports/intercept.ts'
import type { PendingAuthorizations } from '../../../src/onboarding/domain/ports/linking.ts'
import { type Platform, platformMethods } from '../../../src/onboarding/domain/ports/platform.ts'
import { type Provider, providerMethods } from '../../../src/onboarding/domain/ports/provider.ts'
import type { Links } from '../../../src/onboarding/domain/ports/provisioning.ts'

type Crashable = {
  links: Links
  pending: PendingAuthorizations
  provider: Provider
  platform: Platform
  tasks: ConnectionTasks
}

/** The caller waits for it. A promise that never settles holds the caller there forever. */
type PassPoint = (name: string) => void | Promise<void>

const taskMethods = ['open', 'move', 'fail', 'finishDisconnect', 'finishRollback'] as const

/** Left out: `restartFunction` repeats `createFunction`, and `nameFunction` changes only a label. */
const leftOut: ReadonlyArray<keyof Platform> = ['restartFunction', 'nameFunction']
const platformPoints = platformMethods.filter((method) => !leftOut.includes(method))

/** A move of a link is named after the state it leads to. */
const actions = [
  ...['pending.put', 'pending.claim', 'links.open', 'links.postpone'],
  ...linkStates.map((state) => `links.${state}`),
  ...providerMethods.map((method) => `provider.${method}`),
  // Before: the token response has been read. After: it is in escrow.
  ...['provider.exchange.keep', 'provider.refresh.keep'],
  ...platformPoints.map((method) => `platform.${method}`),
  ...taskMethods.map((method) => `tasks.${method}`),
]

export const crashPoints = actions.flatMap((action) => [`before.${action}`, `after.${action}`])

export function crashing({ links, pending, provider, platform, tasks }: Crashable, pass: PassPoint): Crashable {
  const around = async <T>(action: string, act: () => Promise<T>): Promise<T> => {
    await pass(`before.${action}`)
    const result = await act()
    await pass(`after.${action}`)
    return result
  }
  const crashable = <Port extends object, Method extends AsyncMethod<Port>>(
    name: string,
    port: Port,
    methods: readonly Method[],
  ): Port =>
    intercept(port, methods, ({ method, args }, next) => around(`${name}.${String(method)}`, () => next(...args)))
  return {
    links: {
      ...crashable('links', links, ['open', 'postpone']),
      move: (link, to, ...rest) => around(`links.${to}`, () => links.move(link, to, ...rest)),
    },
    pending: crashable('pending', pending, ['put', 'claim']),
    provider: intercept(provider, providerMethods, ({ method, args: [request, ...rest] }, next) =>
      around(`provider.${method}`, () => next(keepingAround(`provider.${method}.keep`, request), ...rest)),
    ),
    platform: crashable('platform', platform, platformPoints),
    tasks: crashable('tasks', tasks, taskMethods),
  }

  function keepingAround<Request extends object>(action: string, request: Request): Request {
    const { keep } = request as { keep?: (raw: unknown) => Promise<void> }
    return keep ? { ...request, keep: (raw: unknown) => around(action, () => keep(raw)) } : request
  }
}

/** Reports whether this is the visit at which `point`, such as `before.links.open:2`, crashes the program. */
export function countVisits(point: string): (name: string) => boolean {
  const [wanted = '', visit = '1'] = point.split(':')
  if (!crashPoints.includes(wanted)) throw new Error(`there is no crash point ${wanted}`)
  let visits = 0
  return (name) => name === wanted && ++visits === Number(visit)
}
