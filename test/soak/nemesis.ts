// Breaks one thing after the other, each for a moment, as a seed says; the same seed breaks the same things.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { openWorld } from '../../src/onboarding/compose.ts'
import { readConfig } from '../../src/onboarding/config.ts'
import { rotateEncryption } from '../../src/onboarding/flows/rotate-encryption.ts'
import type { Failing, Fault } from '../support/doubles/control-plane.ts'
import type { Behaviour } from '../support/doubles/provider/provider.ts'
import { linkPatiently } from '../support/http/patient-user.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import type { KillablePostgres } from '../support/processes/killable-stores.ts'
import type { Fleet, OnboardingProcess } from '../support/processes/onboarding-process.ts'

export const poisonTenant = 'poison'
export const leaseSeconds = 20

export type Nemesis = { done: Promise<Record<string, number>>; stop(): void }

export function releaseNemesis(fleet: Fleet, postgres: KillablePostgres, chance: () => number): Nemesis {
  const actions = faults(fleet, postgres, chance)
  const done: Record<string, number> = {}
  let going = true
  const rage = async () => {
    while (going) {
      await pause(2_000 + chance() * 8_000)
      const [name, act] = actions[Math.floor(chance() * actions.length)] as [string, () => Promise<void>]
      if (!going) break
      await act()
      done[name] = (done[name] ?? 0) + 1
    }
    return done
  }
  return {
    done: rage(),
    stop() {
      going = false
    },
  }
}

/** Every fault ends what it began: after it the world is whole again, and only the program has to recover. */
function faults(fleet: Fleet, postgres: KillablePostgres, chance: () => number) {
  const moment = () => pause(500 + chance() * 2_500)
  const runningOne = () =>
    waitFor('a process runs', () => {
      const running = fleet.processes.filter((each) => each.running())
      return running[Math.floor(chance() * running.length)]
    })
  const during = async (begin: () => void, end: () => unknown) => {
    begin()
    await moment()
    await end()
  }
  const replace = async (end: (old: OnboardingProcess) => Promise<unknown>) => {
    await end(await runningOne())
    await keepStrength()
  }
  const { redis, redisLine, databaseLine, platformLine } = fleet
  const keepStrength = supervisor(fleet)
  const breakPlatform = poisonous(fleet, keepStrength)
  breakPlatform(undefined)
  const failures: Failing[] = [500, 503, 'cut', 'drop', { status: 429, retryAfter: 1 }]
  return Object.entries({
    'a process is killed': () => replace((old) => old.kill()),
    'a process is asked to end': () => replace((old) => old.stop()),
    'Redis freezes': () => during(redis.freeze, redis.thaw),
    async 'Redis is killed'() {
      await redis.kill()
      await moment()
      await redis.start()
    },
    async 'PostgreSQL is killed'() {
      await postgres.kill()
      await postgres.start()
    },
    'the line to Redis is cut': async () => redisLine.cutOpen(),
    'the line to PostgreSQL is reset': () => during(databaseLine.reset, databaseLine.pass),
    'the platform is away': () => during(platformLine.refuse, platformLine.pass),
    'the platform loses an answer': async () => platformLine.dropReply(),
    'the platform fails at random': () =>
      during(
        () => breakPlatform(() => (chance() < 0.3 ? failures[Math.floor(chance() * failures.length)] : undefined)),
        () => breakPlatform(undefined),
      ),
    'the provider answers oddly': () =>
      during(() => fleet.provider.misbehave({ token: oddly(chance) }), fleet.provider.calm),
    async 'a link ends its workers'() {
      await linkPatiently(fleet, { mint: { tenantId: poisonTenant } }).catch(() => 'its worker ended')
    },
    async 'a process stands still for longer than its lease'() {
      const stalled = await runningOne()
      stalled.freeze()
      await pause(leaseSeconds * 1_200)
      stalled.thaw()
    },
    'the encryption key is rotated': () => rotateKeys(fleet, (env) => replaceAll(fleet, env, keepStrength)),
  })
}

/** Some can be read and some cannot; each holds the whole token in one way or another. */
const oddly =
  (chance: () => number): Behaviour['token'] =>
  ({ body }, res) => {
    const text = JSON.stringify(body)
    const writings: Array<[Record<string, string>, Buffer | string]> = [
      [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, gzipSync(text)],
      [{ 'content-type': 'application/json; charset=utf-16le' }, Buffer.from(text, 'utf16le')],
      [{ 'content-type': 'text/html' }, `<html><body>Thank you.<pre>${text}</pre></body></html>`],
      [{ 'content-type': 'text/plain' }, `${text}\n<!-- served by node 7 -->`],
      [{ 'content-type': 'application/json' }, text.slice(0, -1)],
    ]
    const [headers, bytes] = writings[Math.floor(chance() * writings.length)] as (typeof writings)[number]
    res.writeHead(200, headers).end(bytes)
    return undefined
  }

/**
 * Returns how to have two processes again, and no more: two faults at once must not leave one more behind each time,
 * until the database has no connection left for the next.
 */
function supervisor(fleet: Fleet): () => Promise<void> {
  const strength = 2
  const running = () => fleet.processes.filter((each) => each.running())
  const restore = async () => {
    while (running().length < strength) await startOne(fleet)
    for (const surplus of running().slice(strength)) await surplus.stop()
  }
  let last = Promise.resolve()
  return () => {
    last = last.then(restore)
    return last
  }
}

/** One that the poison ends before it is ready is started again. */
const startOne = (fleet: Fleet): Promise<unknown> => fleet.start().catch(() => startOne(fleet))

/**
 * Every process is another one, each started before the one it follows is asked to end. One that was being started while
 * the settings changed has the old ones: it is waited for, so that it is replaced like the others.
 */
async function replaceAll(fleet: Fleet, env: Record<string, string>, keepStrength: () => Promise<void>): Promise<void> {
  Object.assign(fleet.env, env)
  await keepStrength()
  for (const old of fleet.processes.filter((each) => each.running())) {
    await startOne(fleet)
    await old.stop()
  }
  await keepStrength()
}

/** As the guide says: every process has the new key before any seals by it, and the old one until nothing needs it. */
async function rotateKeys(fleet: Fleet, restart: (env: Record<string, string>) => Promise<void>): Promise<void> {
  const old = fleet.env.ENCRYPTION_KEYS as string
  const added = `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64url')}`
  await restart({ ENCRYPTION_KEYS: `${old},${added}` })
  await restart({ ENCRYPTION_KEYS: `${added},${old}` })
  const refusals = new Set<string>()
  const worked = () => rotateOnce(fleet, (error) => void refusals.add(String(error)))
  await waitFor('the command has worked', worked, { withinMs: 120_000, everyMs: 1_000 }).catch((error) => {
    throw new Error(`${error.message}: ${[...refusals].join('; ')}`)
  })
}

/** An operator whose command fails, as it may while stores recover, runs it again. */
async function rotateOnce(fleet: Fleet, onRefusal: (error: unknown) => void): Promise<boolean> {
  const world = openWorld(readConfig(fleet.env))
  const columns = await rotateEncryption(world, { kind: 'operator' }).catch(onRefusal)
  await world.close()
  return columns !== undefined
}

/**
 * Each platform request of the poison tenant crashes every process, because its sender is unknown. A supervisor
 * restarts them. Returns a function that sets the fault of all other requests.
 */
function poisonous(fleet: Fleet, keepStrength: () => Promise<void>): (fault: Fault | undefined) => void {
  let isReviving = false
  const strike = async () => {
    if (isReviving) return
    isReviving = true
    await Promise.all(fleet.processes.filter((each) => each.running()).map((each) => each.kill()))
    await keepStrength()
    isReviving = false
  }
  return (others) => {
    fleet.platform.fault = (request, count) => {
      if (request.workspace !== poisonTenant) return others?.(request, count)
      void strike()
      return 'cut'
    }
  }
}

/** A small generator with a seed (mulberry32): a run that found something can be run again. */
export function seededChance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
