// Processes of the product that share stores. Each call of a port waits for its turn, may fail, and may end its process.
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import { intercept } from '../../../src/onboarding/domain/ports/intercept.ts'
import { platformMethods } from '../../../src/onboarding/domain/ports/platform.ts'
import type { Ports } from '../../../src/onboarding/domain/ports/ports.ts'
import type { TokenRequest } from '../../../src/onboarding/domain/ports/provider.ts'
import type { Owner, Scheduler } from './scheduler.ts'
import type { rememberingProvider } from './third-parties.ts'

/** The store did not answer. Whether it did the work is unknown to the caller. */
export class NoAnswer extends Error {}

const faultKinds = ['dies before', 'dies after', 'lost before', 'lost after', 'hangs'] as const
type Fault = (typeof faultKinds)[number]

const stores = ['sessions', 'links', 'secrets', 'connections', 'storedGrants', 'tenants', 'pending', 'marks'] as const

/** Longer than a lease. */
const hangSeconds = 45

export type Faults = { left: number; share: number }

export type Process = Owner & { ports: Ports; ask<T>(act: () => Promise<T>): Promise<Answer<T>> }
export type Answer<T> = { value: T } | { error: unknown } | 'died'

type World = {
  scheduler: Scheduler
  faults: Faults
  provider: ReturnType<typeof rememberingProvider>
  onDeath: () => void
}

export function startProcess(name: string, ports: Ports, { scheduler, faults, provider, onDeath }: World): Process {
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

  function draw(call: string): Fault | undefined {
    if (faults.left === 0 || !scheduler.chance(faults.share)) return undefined
    faults.left--
    const fault = scheduler.pick(faultKinds)
    scheduler.note(`${name}: ${call} ${fault}`)
    return fault
  }

  async function call<T>(what: string, lost: (isSent: boolean) => Error, act: () => Promise<T>): Promise<T> {
    await scheduler.wait(owner, what)
    const fault = draw(what)
    if (fault === 'dies before') return kill()
    if (fault === 'lost before') throw lost(false)
    if (fault === 'hangs') await scheduler.wait(owner, `${what} answers late`, hangSeconds)
    const result = await act()
    if (fault === 'dies after') return kill()
    if (fault === 'lost after') throw lost(true)
    return result
  }

  const store = <Port extends object>(portName: string, port: Port): Port =>
    new Proxy(port, {
      get(target, member) {
        const method = Reflect.get(target, member)
        if (typeof method !== 'function' || member === 'hasLockedUser') return method
        const noAnswer = () => new NoAnswer(`${portName}.${String(member)}`)
        return (...args: unknown[]) => call(`${portName}.${String(member)}`, noAnswer, () => method.apply(target, args))
      },
    })

  const isAway = () => new DependencyError('platform_unavailable', { retry: {} })
  const providerIsAway = () => new DependencyError('provider_unavailable', { retry: {} })
  const wrapped = {
    ...ports,
    ...Object.fromEntries(stores.map((each) => [each, store(each, ports[each])])),
    platform: intercept(ports.platform, platformMethods, ({ method, args }, next) =>
      call(`platform.${method}`, isAway, () => next(...args)),
    ),
    provider: {
      ...intercept(ports.provider, ['refresh', 'revoke'], ({ method, args }, next) =>
        call(`provider.${method}`, providerIsAway, () => next(...args)),
      ),
      async exchange(request: TokenRequest) {
        const lost = (isSent: boolean) => (isSent ? new DependencyError('exchange_unknown') : providerIsAway())
        const raw = await call('provider.exchange', lost, async () => provider.redeem(request))
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
