// Faults of processes, of the platform and of the provider, which every stage has.
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
import { clockOff } from '../support/processes/clock-off.ts'
import type { Fleet, OnboardingProcess } from '../support/processes/onboarding-process.ts'
import type { Faults } from './nemesis.ts'

export const poisonTenant = 'poison'
export const leaseSeconds = 20
const clockOffMs = 5 * 60 * 1_000

/** Half a second to three seconds. */
export const moment = (chance: () => number) => pause(500 + chance() * 2_500)

export const during = async (chance: () => number, begin: () => unknown, end: () => unknown) => {
  await begin()
  await moment(chance)
  await end()
}

/** `spared`: a process that may be frozen, but not ended. */
export function programFaults(fleet: Fleet, chance: () => number, spared?: OnboardingProcess): Faults {
  const { platformLine } = fleet
  const chosen = (but?: OnboardingProcess) =>
    waitFor('a process runs', () => {
      const running = fleet.processes.filter((each) => each.running() && each !== but)
      return running[Math.floor(chance() * running.length)]
    })
  const keepStrength = supervisor(fleet)
  const replace = async (end: (old: OnboardingProcess) => Promise<unknown>) => {
    await end(await chosen(spared))
    await keepStrength()
  }
  const breakPlatform = poisonous(fleet, keepStrength)
  breakPlatform(undefined)
  const failures: Failing[] = [500, 503, 'cut', 'drop', { status: 429, retryAfter: 1 }]
  const replaceEach = (env: Record<string, string>) => replaceAll(fleet, env, keepStrength)
  return {
    'a process is killed': () => replace((old) => old.kill()),
    'a process is asked to end': () => replace((old) => old.stop()),
    async 'a process stands still for longer than its lease'() {
      const stalled = await chosen()
      stalled.freeze()
      await pause(leaseSeconds * 1_200)
      stalled.thaw()
    },
    'a process is replaced by one whose clock is five minutes off': () =>
      replace(async (old) => {
        await startOne(fleet, clockOff(chance() < 0.5 ? clockOffMs : -clockOffMs))
        await old.stop()
      }),
    'the platform is away': () => during(chance, platformLine.refuse, platformLine.pass),
    'the platform loses an answer': () => platformLine.dropReply(),
    'the platform fails at random': () =>
      during(
        chance,
        () => breakPlatform(() => (chance() < 0.3 ? failures[Math.floor(chance() * failures.length)] : undefined)),
        () => breakPlatform(undefined),
      ),
    'the provider answers oddly': () =>
      during(chance, () => fleet.provider.misbehave({ token: oddly(chance) }), fleet.provider.calm),
    ...(!spared && {
      'a link ends its workers': () =>
        linkPatiently(fleet, { mint: { tenantId: poisonTenant } }).catch(() => 'its worker ended'),
      'all processes are replaced one by one': () => replaceEach({}),
      'the encryption key is rotated': () => rotateKeys(fleet, replaceEach),
    }),
  }
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
const startOne = (fleet: Fleet, env: Record<string, string> = {}): Promise<unknown> =>
  fleet.start(env).catch(() => startOne(fleet, env))

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
  await waitFor('the command has worked', worked, { withinMs: 600_000, everyMs: 1_000 }).catch((error) => {
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
