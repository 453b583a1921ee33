// Processes of the product that share stores. Each call of a port waits for its turn, may fail, and may end its process.
import { ignoreError } from '../../../src/kit/process/ignore-error.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import { intercept } from '../../../src/onboarding/domain/ports/intercept.ts'
import { platformMethods } from '../../../src/onboarding/domain/ports/platform.ts'
import type { Ports } from '../../../src/onboarding/domain/ports/ports.ts'
import type { TokenRequest } from '../../../src/onboarding/domain/ports/provider.ts'
import type { ConsentUnderWay } from '../../../src/onboarding/domain/ports/provisioning.ts'
import { rememberedAuthorizations } from '../../../src/onboarding/linking/adapters/remembered-authorizations.ts'
import { rememberedSessions } from '../../../src/onboarding/linking/adapters/remembered-sessions.ts'
import type { Disasters } from './disasters.ts'
import type { Owner, Scheduler } from './scheduler.ts'
import type { rememberingProvider } from './third-parties.ts'

/** The store did not answer. Whether it did the work is unknown to the caller. */
export class NoAnswer extends Error {}

const faultKinds = ['dies before', 'dies after', 'lost before', 'lost after', 'hangs'] as const
/** Faults of a store that is away. It may carry out a request after the caller gave up. */
const awayKinds = ['lost before', 'lost before', 'lost after', 'lost and late'] as const
type Fault = (typeof faultKinds | typeof awayKinds)[number]

const stores = {
  redis: ['pending', 'marks'],
  // A process remembers tenants.
  ledger: ['sessions', 'links', 'secrets', 'connections', 'storedGrants', 'tasks'],
} as const
type Store = keyof typeof stores | 'platform'

/** What a process knows without its stores. */
const remembered: ReadonlyArray<string | symbol> = ['hasLockedUser', 'isUsersFirst']

const ledger: Owner = { name: 'ledger', isAlive: true }

/** Shorter and longer than a lease. */
const hangSeconds = [20, 45, 45, 100] as const
const maxLateSeconds = 45

export type Faults = ReturnType<typeof planFaults>

const maxFaults = 4

/** In half of the schedules any call may fail, otherwise some often. */
export function planFaults({ between, chance, pick, random }: Scheduler) {
  const targets = chance(0.5) ? new Map<string, boolean>() : undefined
  const chosen = faultKinds.filter(() => chance(0.5))
  const kinds = chosen.length > 0 ? chosen : faultKinds
  const share = targets ? 0.05 + 0.45 * random() : 0.01 + 0.05 * random()
  const isTarget = (call: string): boolean => {
    if (!targets) return true
    if (!targets.has(call)) targets.set(call, chance(0.15))
    return targets.get(call) === true
  }
  const plan = {
    left: between(0, maxFaults),
    /** Faults that occurred. */
    drawn: 0,
    draw: (call: string): Fault | undefined => {
      if (plan.left === 0 || !isTarget(call) || !chance(share)) return undefined
      plan.left--
      plan.drawn++
      return pick(kinds)
    },
  }
  return plan
}

export type Process = Owner & { ports: Ports; ask<T>(act: () => Promise<T>): Promise<Answer<T>> }
export type Answer<T> = { value: T } | { error: unknown } | 'died'

type World = {
  scheduler: Scheduler
  faults: Faults
  provider: ReturnType<typeof rememberingProvider>
  disasters: Pick<Disasters, 'onCall' | 'isAway'>
  onDeath: () => void
}

export function startProcess(
  name: string,
  ports: Ports,
  { scheduler, faults, provider, disasters, onDeath }: World,
): Process {
  let die = () => {}
  const death = new Promise<'died'>((resolve) => {
    die = () => resolve('died')
  })
  const owner: Owner = { name, isAlive: true }

  function kill<T>(): Promise<T> {
    owner.isAlive = false
    die()
    onDeath()
    return new Promise(() => {})
  }

  function draw(call: string, store: Store | undefined): Fault | undefined {
    if (store && disasters.isAway(store)) return scheduler.pick(awayKinds)
    const fault = faults.draw(call)
    if (fault) scheduler.note(`${name}: ${call} ${fault}`)
    return fault
  }

  type Call<T> = { store?: Store; lost(isSent: boolean): Error; act(): Promise<T> }

  async function call<T>(what: string, { store, lost, act }: Call<T>): Promise<T> {
    await scheduler.wait(owner, what)
    const fault = draw(what, store)
    if (fault === 'dies before') return kill()
    if (fault === 'lost before') throw lost(false)
    if (fault === 'lost and late') {
      const isLate = scheduler.wait(ledger, `${name}: ${what} is late`, scheduler.between(1, maxLateSeconds))
      isLate.then(act).catch(ignoreError('nobody waits for it'))
      throw lost(true)
    }
    if (fault === 'hangs') await scheduler.wait(owner, `${what} answers late`, scheduler.pick(hangSeconds))
    const result = await act()
    disasters.onCall(what)
    if (fault === 'dies after') return kill()
    if (fault === 'lost after') throw lost(true)
    return result
  }

  function noteLook({ exceptLink, exceptConnection }: ConsentUnderWay): void {
    for (const id of [exceptLink, exceptConnection]) if (id) provider.lookedAt.set(id, scheduler.trace.length)
  }

  const wrapStore = <Port extends object>(store: Store, portName: string, port: Port): Port =>
    new Proxy(port, {
      get(target, member) {
        const method = Reflect.get(target, member)
        if (typeof method !== 'function' || remembered.includes(member)) return method
        const what = `${portName}.${String(member)}`
        const lost = () => new NoAnswer(what)
        return (...args: unknown[]) => {
          if (member === 'hasConsentUnderWay') noteLook(args[0] as ConsentUnderWay)
          return call(what, { store, lost, act: () => method.apply(target, args) })
        }
      },
    })

  const isAway = () => new DependencyError('platform_unavailable', { retry: {} })
  const providerIsAway = () => new DependencyError('provider_unavailable', { retry: {} })
  const wrapped = {
    ...ports,
    ...Object.fromEntries(
      Object.entries(stores).flatMap(([store, names]) =>
        names.map((each) => [each, wrapStore(store as keyof typeof stores, each, ports[each])]),
      ),
    ),
    sessions: rememberedSessions(wrapStore('ledger', 'sessions', ports.sessions), ports.now),
    pending: rememberedAuthorizations(wrapStore('redis', 'pending', ports.pending), ports.now),
    platform: intercept(ports.platform, platformMethods, ({ method, args }, next) =>
      call(`platform.${method}`, { store: 'platform', lost: isAway, act: () => next(...args) }),
    ),
    provider: {
      ...intercept(ports.provider, ['refresh', 'revoke'], ({ method, args }, next) =>
        call(`provider.${method}`, { lost: providerIsAway, act: () => next(...args) }),
      ),
      async exchange(request: TokenRequest) {
        const lost = (isSent: boolean) => (isSent ? new DependencyError('exchange_unknown') : providerIsAway())
        const raw = await call('provider.exchange', { lost, act: async () => provider.redeem(request) })
        await scheduler.wait(owner, 'provider.exchange answers')
        await request.keep(raw)
        return provider.grantIn(raw)
      },
    },
    pause: (ms: number) => scheduler.wait(owner, 'pause', ms / 1_000),
  } as Ports

  return Object.assign(owner, {
    ports: wrapped,
    ask<T>(act: () => Promise<T>): Promise<Answer<T>> {
      const answer = act().then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
      return Promise.race([answer, death])
    },
  })
}
