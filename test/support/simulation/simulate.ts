// One schedule: users link accounts, tenants complete, workers sweep, while calls fail and processes die.
import { createHash } from 'node:crypto'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { resumeTasks } from '../../../src/onboarding/connections/flows/work-on-task.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import { Failure } from '../../../src/onboarding/domain/failure.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import type { Seal, Tokens } from '../../../src/onboarding/domain/ports/shared.ts'
import { sealContext } from '../../../src/onboarding/domain/seal-context.ts'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { openMemoryWorld } from '../memory/world.ts'
import { planDisaster } from './disasters.ts'
import { NoAnswer, type Process, planFaults, startProcess } from './processes.ts'
import { brokenPromises } from './promises.ts'
import { live } from './repairs.ts'
import { type Owner, openScheduler, type Scheduler } from './scheduler.ts'
import { rememberingPlatform, rememberingProvider } from './third-parties.ts'

export type Result = { seed: number; violations: string[]; trace: string[]; audit: string[] }

const processCount = 2
const maxDays = 3
/** Browsers and the tenant's server. They outlive every process. */
const outside: Owner = { name: 'user', isAlive: true }

export async function simulate(seed: number): Promise<Result> {
  const stage = await openStage(seed)
  const { scheduler, world, faults } = stage
  const end = new Date(world.now().getTime() + maxDays * 24 * 60 * 60 * 1_000)
  const journeys = scheduler.pick([1, 2, 2, 3])
  let open = journeys
  for (let user = 0; user < journeys; user++) {
    void live(stage, `user-${scheduler.pick([1, 1, 2])}`).then(() => {
      open--
      if (open === 0) faults.left = 0
    })
  }
  const hasEnded = await scheduler.runUntil(() => open === 0 && stage.underWay === 0 && dueTimes(stage).length === 0)
  const unseal = (sealed: string, link: Link) => readableSeal.open(sealed, sealContext.escrow(link)).reveal()
  return {
    seed,
    violations: [
      ...stage.unexpected,
      ...(hasEnded ? [] : ['the work does not end']),
      ...(world.now() < end ? [] : ['the work takes days']),
      ...brokenPromises({ ...stage, tables: world.tables, unseal }),
    ],
    trace: scheduler.trace,
    audit: world.tables.audit.map(({ entry: { action, connection, link, facts } }) =>
      [action, connection, link, facts && JSON.stringify({ ...facts, functionMs: undefined })].join(' '),
    ),
  }
}

const sealText = (text: Secret, context: string): string => `${context}\n${text.reveal()}`

/** A tenth of the time of a schedule would be encryption. */
const readableSeal: Seal = {
  seal: sealText,
  sealBriefly: sealText,
  open(sealed, context) {
    if (!sealed.startsWith(`${context}\n`)) throw new Error('a sealed text is in the wrong place')
    return new Secret(sealed.slice(context.length + 1))
  },
}

const dueTimes = ({ world: { tables } }: Stage): number[] =>
  [...tables.links.values(), ...tables.tasks.values()].flatMap(({ dueAt }) => dueAt?.getTime() ?? [])

export type Stage = Awaited<ReturnType<typeof openStage>>

async function openStage(seed: number) {
  const revokesGrant = seed % 3 === 0
  const world = await openMemoryWorld({
    integration: revokesGrant ? { revocation: { reach: 'grant' } } : {},
    settings: { backlogPerTenant: 100 },
  })
  const scheduler = openScheduler(seed, world.clock)
  /** By the state of an authorization. */
  const linkOf = new Map<string, string>()
  const ownersOf = (state: string) => {
    const link = world.tables.links.get(linkOf.get(state) ?? '')
    return link ? [link.id, link.connectionId] : []
  }
  const provider = rememberingProvider({ revokesGrant, turn: () => scheduler.trace.length, ownersOf })
  const platform = rememberingPlatform()
  const disasters = planDisaster(scheduler, world)
  const ports = {
    ...world,
    pending: disasters.pending,
    marks: disasters.marks,
    tokens: { ...world.tokens, ...repeatable(scheduler) },
    seal: readableSeal,
    chance: scheduler.random,
    provider: provider.port,
    platform: platform.port,
  }
  const stage = {
    scheduler,
    world,
    ports,
    outside,
    provider,
    platform,
    disasters,
    faults: planFaults(scheduler),
    processes: [] as Process[],
    linkOf,
    toldLinked: new Set<string>(),
    unexpected: [] as string[],
    /** Requests whose work goes on. */
    underWay: 0,
    /** A process that is alive. All may be dead until one is restarted. */
    async choose(): Promise<Process> {
      for (;;) {
        const alive = stage.processes.filter(({ isAlive }) => isAlive)
        if (alive.length > 0) return scheduler.pick(alive)
        await scheduler.wait(outside, 'finds no process', 1)
      }
    },
    /** A request to a process. Its work may go on after the response. */
    async ask<T>(act: (process: Process) => Promise<{ done: Promise<T> }>): Promise<T | undefined> {
      stage.underWay++
      const process = await stage.choose()
      const answer = await process.ask(async () => (await act(process)).done)
      stage.underWay--
      if (answer === 'died') return undefined
      if ('value' in answer) return answer.value
      stage.assertExpected(answer.error)
      return undefined
    },
    assertExpected(error: unknown) {
      // A process may still work on rows that are gone.
      if (disasters.hasLostWrites) return
      const isExpected = [NoAnswer, Failure, DependencyError].some((type) => error instanceof type)
      if (!isExpected) stage.unexpected.push(`unexpected: ${error instanceof Error ? error.stack : error}`)
    },
  }
  for (let at = 0; at < processCount; at++) addProcess(stage)
  return stage
}

function addProcess(stage: Stage): void {
  const { scheduler, processes, ports, outside } = stage
  const process = startProcess(`process ${processes.length + 1}`, ports, {
    ...stage,
    onDeath: () => void scheduler.wait(outside, 'restart').then(() => addProcess(stage)),
  })
  processes.push(process)
  void sweep(stage, process)
}

async function sweep(stage: Stage, process: Process): Promise<void> {
  const { scheduler, world, assertExpected } = stage
  for (;;) {
    const dueAt = Math.min(...dueTimes(stage), Infinity)
    const idleSeconds = Number.isFinite(dueAt) ? Math.max((dueAt - world.now().getTime()) / 1_000, 0) : 0
    await scheduler.wait(process, 'sweeps', idleSeconds + scheduler.between(1, 10))
    for (const [work, rows] of [
      [sweepLinks, world.tables.links],
      [resumeTasks, world.tables.tasks],
    ] as const) {
      if (!isDue(rows, world.now())) continue
      const answer = await process.ask(() => work(process.ports, world.settings))
      if (answer === 'died') return
      if ('error' in answer) assertExpected(answer.error)
    }
  }
}

/** A sweep that finds nothing changes nothing. */
const isDue = (rows: ReadonlyMap<string, { dueAt: Date | undefined }>, now: Date): boolean =>
  [...rows.values()].some(({ dueAt }) => dueAt !== undefined && dueAt <= now)

/** Random tokens would order IDs differently in each run of a seed. */
function repeatable({ random }: Scheduler): Pick<Tokens, 'id' | 'fresh' | 'freshOnes'> {
  let made = 0
  const digits = (text: string) => createHash('sha256').update(text).digest('base64url')
  const fresh = (from?: string) => digits(from ?? `${made++} ${random()}`)
  return {
    id: (prefix, from) => `${prefix}_${from ? digits(from) : String(made++).padStart(6, '0')}`,
    fresh,
    freshOnes: (count) => Array.from({ length: count }, () => fresh()),
  }
}
