// Two programs on the same stores: one crashes at a chosen point, the other one resumes its work.
import { expect } from 'vitest'
import { type Journey, linkPatiently } from '../http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../oracles/checker.ts'
import { waitFor } from '../oracles/wait-for.ts'
import { type InnerVictim, startInnerVictim } from './inner-victim.ts'
import { watching } from './killable-stores.ts'
import { type Fleet, type LinkRow, type OnboardingProcess, portWasTaken, startFleet } from './onboarding-process.ts'

export type CrashLanes = Awaited<ReturnType<typeof openCrashLanes>>

type Lanes = {
  count?: number
  put?: boolean
  reach?: string
  /** Crashes programs inside the test's process instead of killing processes. */
  inner?: boolean
}

/** Several lanes in parallel, each with its own stores and doubles: one starts a process while another waits. */
export async function openCrashLanes({ count = 3, put = true, reach = 'token', inner = false }: Lanes = {}) {
  const free = await Promise.all(Array.from({ length: count }, () => openCrashLane(put, reach, inner)))
  const all = [...free]
  const waiting: Array<(lane: CrashLane) => void> = []
  const take = () => {
    const lane = free.pop()
    return lane ?? new Promise<CrashLane>((resolve) => waiting.push(resolve))
  }
  const releaseLane = (lane: CrashLane) => {
    const next = waiting.shift()
    if (next) next(lane)
    else free.push(lane)
  }
  return {
    close: () => Promise.all(all.map((lane) => lane.close())),
    async crash(how: Crash): Promise<LinkRow | undefined> {
      const lane = await take()
      return lane.crash(how).finally(() => releaseLane(lane))
    },
  }
}

type CrashLane = Awaited<ReturnType<typeof openCrashLane>>

type Victim = OnboardingProcess | InnerVictim

export type Crash = {
  /** The victim's crash point. */
  at?: string
  /** The crash point of the process that takes its place. */
  again?: string
  /** Prepares provider and platform, and may kill the victim. */
  arrange?(fleet: Fleet, victim: Victim): void
  /** The requests of user and tenant. */
  travel?(fleet: Fleet): Promise<Journey>
}

async function openCrashLane(put: boolean, revocationReach: string, inner: boolean) {
  const env = { LEASE_SECONDS: String(leaseSeconds), PLATFORM_CONNECTION_PUT: String(put) }
  const fleet = await startFleet({
    env,
    integration: { health: { tool: 'list_files' }, revocation: { reach: revocationReach } },
  })
  fleet.platform.takesPut = put
  const survivor = await fleet.start()
  await fleet.putTenant('acme')
  const inside: InnerVictim[] = []
  const logs = () => [fleet.logs(), ...inside.map(({ output }) => output())].join('\n')
  return {
    close: fleet.close,
    /** Crashes the victim, lets the user retry and all work settle, then checks the promises. Returns the link. */
    async crash({ at, again, arrange, travel = linkPatiently }: Crash): Promise<LinkRow | undefined> {
      survivor.freeze() // only the victims work until they are dead
      const victim = await (inner ? startInside(at) : fleet.start(at ? { CRASH_AT: at } : {}))
      arrange?.(fleet, victim)
      leadTo(victim)
      const first = burial(victim.ended)
      const deaths = [first, ...(again ? [first.then(() => burial(dieAt(again)))] : [])]
      const settled = Promise.all(deaths).then((ends) => {
        fleet.front.toward(survivor.port)
        survivor.thaw()
        return ends
      })
      settled.catch(() => {}) // awaited below, unless the user's error is thrown first
      try {
        const { minted } = await travel(fleet)
        expect(await settled).toEqual(deaths.map(() => ({ code: null, signal: 'SIGKILL' })))
        await untilQuiet(fleet)
        expect(await brokenPromises({ ...fleet, logs })).toEqual([])
        return await fleet.linkOf(minted)
      } finally {
        for (const each of [...fleet.processes, ...inside]) if (each !== survivor) await each.kill()
        fleet.provider.calm()
        fleet.platform.fault = undefined
        fleet.platform.tool = undefined
      }
    },
  }

  async function burial<T>(end: Promise<T>): Promise<T> {
    const ended = await end
    await endLeases(fleet)
    return ended
  }

  async function startInside(point?: string): Promise<InnerVictim> {
    const victim = await startInnerVictim(fleet, point)
    inside.push(victim)
    return victim
  }

  function leadTo({ port }: Pick<Victim, 'port'>) {
    fleet.front.toward(port)
    fleet.front.cutOpen() // kept-alive connections lead to the previous process
  }

  async function dieAt(point: string): Promise<Awaited<OnboardingProcess['ended']>> {
    if (inner) {
      const another = await startInside(point)
      leadTo(another)
      return another.ended
    }
    const victim = await fleet.launch({ CRASH_AT: point })
    await victim.ready.then(
      () => leadTo(victim),
      () => {}, // the due work crashed it before it was ready
    )
    const end = await victim.ended
    if (end.signal === 'SIGKILL') return end
    if (portWasTaken(victim)) return dieAt(point)
    throw new Error(`it ended by itself: ${victim.output().slice(-500)}`)
  }
}

const leaseSeconds = 20

/** Expires the leases of the dead. Leases short enough to wait for would also expire for the living. */
export async function endLeases({ sql }: Pick<Fleet, 'sql'>): Promise<void> {
  await waitFor('the database has done what the dead had asked for', async () => {
    const { rows } = await sql.query(
      `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
         and state = 'active' and application_name <> $1`,
      [watching],
    )
    return rows.length === 0
  })
  // Users and tenants have longer timeouts than a lease; those are kept.
  await sql.query('update links set due_at = now() where due_at < now() + make_interval(secs => $1)', [leaseSeconds])
  await sql.query('update connection_tasks set due_at = now() where due_at is not null')
}
