// What is removed, stopped and started when the lists of the database and the engine differ.
import { expect, test } from 'vitest'
import { keepContainers } from '../../../src/platform/gateway/flows/keep-containers.ts'
import { collectRuns } from '../../../src/platform/jobs/flows/collect-runs.ts'
import type { EngineObject } from '../../../src/platform/shared/domain/engine.ts'
import { containersWith, noContainerUses } from '../../support/doubles/engine.ts'
import { randomFrom } from '../../support/simulation/scheduler.ts'

function engineWith(found: readonly EngineObject[]) {
  const done: string[] = []
  const containers = containersWith({
    keep: async ({ id }) => {
      done.push(`keep ${id}`)
      return id === 'broken' ? { problem: 'It has no shell.' } : {}
    },
    stop: async (id) => void done.push(`stop ${id}`),
    remove: async ({ kind, id }) => void done.push(`remove ${kind} ${id}`),
    list: async () => [...found],
  })
  return { containers, done }
}

const sandbox = (id: string, isWanted = true, image = 'acme/box') => ({ id, image, memoryMb: 128, isWanted })
const kept = (id: string, isRunning = true) => ({ kind: 'kept' as const, id, isRunning })
const volume = (id: string) => ({ kind: 'volume' as const, id, isRunning: false })
const run = (id: string) => ({ kind: 'run' as const, id, isRunning: true })

const now = () => new Date()

const noServers = { servedImages: async () => [], servedContainer: async () => undefined }

const sandboxUses = { idle: async () => [] as string[], claimStop: async () => true, endStop: async () => {} }

const reconcile = async (wanted: Array<ReturnType<typeof sandbox>>, found: Parameters<typeof engineWith>[0]) => {
  const { containers, done } = engineWith(found)
  const removedStorage = async (ids: readonly string[]) => ids.filter((id) => id === 'gone')
  const workloads = { sandboxesWithImages: async () => wanted, ...noServers, removedStorage }
  const log = (event: string, fields?: { count?: number }) => void done.push(`${event} ${fields?.count}`)
  await keepContainers({
    containers,
    workloads,
    sandboxUses,
    containerUses: noContainerUses,
    log,
    now,
    isContainer: (image) => image !== 'local/echo',
  })()
  return done
}

test.each([
  ['what is as wanted', [sandbox('a')], [kept('a')], []],
  ['a missing one', [sandbox('a')], [], ['keep a']],
  ['one that ended', [sandbox('a')], [kept('a', false)], ['keep a']],
  ['one without a row', [], [kept('a')], ['remove kept a']],
  ['one of a disabled sandbox', [sandbox('a', false)], [kept('a')], ['stop a']],
  ['a stopped one of a disabled sandbox', [sandbox('a', false)], [kept('a', false)], []],
  ['a sandbox whose image is no container', [sandbox('a', true, 'local/echo')], [], []],
  ['one whose image is no container any more', [sandbox('a', true, 'local/echo')], [kept('a')], ['stop a']],
  ['one that cannot be started', [sandbox('broken')], [], ['keep broken', 'containers.missing 1']],
  ['a container of a task', [], [run('t')], []],
  ['a volume whose resource is gone', [], [volume('gone'), volume('there')], ['remove volume gone']],
])('reconciles %s', async (_what, wanted, found, expected) => {
  expect(await reconcile(wanted, found)).toEqual(expected)
})

test('an idle container is stopped, unless a use or another process came first, and is not started again', async () => {
  const { containers, done } = engineWith([kept('idle'), kept('used'), kept('stopped', false)])
  const workloads = {
    sandboxesWithImages: async () => ['idle', 'used', 'stopped'].map((id) => sandbox(id)),
    ...noServers,
    removedStorage: async () => [],
  }
  const uses = {
    idle: async () => ['idle', 'used', 'stopped'],
    claimStop: async (id: string) => id === 'idle',
    endStop: async (id: string) => void done.push(`end ${id}`),
  }

  await keepContainers({
    containers,
    workloads,
    sandboxUses: uses,
    containerUses: noContainerUses,
    log() {},
    now,
    isContainer: () => true,
  })()

  expect(done).toEqual(['stop idle', 'end idle'])
})

test('all missing containers are started, also if there are many', async () => {
  const wanted = Array.from({ length: 10 }, (_, at) => sandbox(`${at}`))

  expect((await reconcile(wanted, [])).sort()).toEqual(wanted.map(({ id }) => `keep ${id}`))
})

test('one that ends again and again is started after growing pauses', async () => {
  const { containers, done } = engineWith([kept('a', false)])
  let seconds = 0
  const workloads = { sandboxesWithImages: async () => [sandbox('a')], ...noServers, removedStorage: async () => [] }
  const clock = () => new Date(seconds * 1_000)
  const turn = keepContainers({
    containers,
    workloads,
    sandboxUses,
    containerUses: noContainerUses,
    log() {},
    now: clock,
    isContainer: () => true,
  })

  const startedAt: number[] = []
  for (; seconds < 40; seconds++) {
    await turn()
    if (done.splice(0).length > 0) startedAt.push(seconds)
  }

  expect(startedAt).toEqual([0, 1, 3, 7, 15, 31])
})

test('10,000 sandboxes converge at an engine that delays, repeats, drops and reorders', async () => {
  const random = randomFrom(20_261_119)
  const engine = new Map<string, boolean>()
  const wanted = Array.from({ length: 10_000 }, (_, at) => sandbox(`wanted-${at}`))
  for (let at = 0; at < 500; at++) engine.set(`orphan-${at}`, random() < 0.5)
  const counts = { keep: 0, list: 0, remove: 0, deaths: 0, failures: 0 }
  const later: Array<() => void> = []
  const containers = containersWith({
    async keep({ id }) {
      counts.keep++
      const [isLost, isLate] = [random() < 0.02, random() < 0.05]
      if (isLost) counts.failures++
      else if (isLate) later.push(() => engine.set(id, true))
      else engine.set(id, true)
      return isLost ? { problem: 'no answer' } : {}
    },
    async remove({ id }) {
      counts.remove++
      if (random() < 0.1) later.push(() => engine.delete(id))
      else engine.delete(id)
    },
    async list() {
      counts.list++
      const all = [...engine].map(([id, isRunning]) => kept(id, isRunning))
      return [...all, ...all.slice(0, 100)].sort(() => random() - 0.5)
    },
  })
  let ms = 0
  const workloads = { sandboxesWithImages: async () => wanted, ...noServers, removedStorage: async () => [] }
  const turn = keepContainers({
    containers,
    workloads,
    sandboxUses,
    containerUses: noContainerUses,
    log() {},
    now: () => new Date(ms),
    isContainer: () => true,
  })
  const isConverged = () => engine.size === wanted.length && wanted.every(({ id }) => engine.get(id) === true)

  for (let turns = 0; turns < 40 && !(turns > 10 && isConverged()); turns++) {
    await turn()
    ms += 15_000
    for (const apply of later.splice(0).sort(() => random() - 0.5)) apply()
    // In the first turns, containers end, and the watch says nothing about it.
    if (turns < 5)
      for (const id of engine.keys())
        if (random() < 0.01) {
          engine.set(id, false)
          counts.deaths++
        }
  }

  expect(isConverged()).toBe(true)
  // Late ones are started twice, and nothing else is.
  expect(counts.keep).toBeLessThan((wanted.length + counts.deaths + counts.failures) * 1.1)
  expect(counts.remove).toBeLessThan(700)
  expect(counts.list).toBeLessThanOrEqual(40)
})

test('what cannot be removed or stopped keeps nothing else from its turn, and is reported', async () => {
  const done: string[] = []
  const fail = async (id: string) => {
    if (id === 'stuck') throw new Error('the engine failed')
    done.push(id)
  }
  const containers = containersWith({
    ...{ remove: ({ id }) => fail(id), stop: fail },
    keep: async ({ id }) => fail(id).then(() => ({})),
    list: async () => [kept('stuck'), kept('orphan'), run('stuck'), run('lost')],
  })
  const workloads = {
    sandboxesWithImages: async () => [sandbox('wanted')],
    ...{ ...noServers, removedStorage: async () => ['stuck', 'volume'] },
  }
  const uses = { sandboxUses, containerUses: noContainerUses }
  const keep = keepContainers({ containers, workloads, ...uses, log() {}, now, isContainer: () => true })

  await expect(keep()).rejects.toThrow('the engine failed')
  await expect(collectRuns(containers, { leased: async () => new Set() })()).rejects.toThrow('the engine failed')

  expect(done).toEqual(['orphan', 'volume', 'wanted', 'lost'])
})

test('only containers of tasks that nobody leases are collected', async () => {
  const { containers, done } = engineWith([run('leased'), run('lost'), kept('box')])

  await collectRuns(containers, { leased: async () => new Set(['leased']) })()

  expect(done).toEqual(['remove run lost'])
})

const served = (id: string, is: { mayRun?: boolean; always?: boolean; lingers?: boolean } = {}) => ({
  ...{ id, revision: id, resource: 'agent', workspace: 'acme', kind: 'agent' as const, name: 'a', image: 'acme/agent' },
  ...{ mayRun: true, always: false, lingers: false, ...is },
})
const use = (id: string, is: { isRunning?: boolean; isIdle?: boolean } = {}) => ({
  ...{ id, isRunning: true, isIdle: false, ...is },
})

test.each([
  ['starts none that nobody uses', [served('a')], [], [], []],
  ['starts one that always runs', [served('a', { always: true })], [], [], ['keep a']],
  ['starts one that a use had started', [served('a')], [use('a')], [], ['keep a']],
  ['starts none that was stopped', [served('a')], [use('a', { isRunning: false })], [kept('a', false)], []],
  ['leaves one that is used', [served('a')], [use('a')], [kept('a')], []],
  ['counts the time of a new one', [served('a')], [], [kept('a')], ['adopt a']],
  ['stops an idle one', [served('a')], [use('a', { isIdle: true })], [kept('a')], ['claim a', 'stop a', 'end a']],
  ['leaves one that always runs', [served('a', { always: true })], [use('a', { isIdle: true })], [kept('a')], []],
  [
    'leaves one whose revision gets no more requests',
    [served('a', { mayRun: false, lingers: true })],
    [use('a')],
    [kept('a')],
    [],
  ],
  ['stops one of a disabled agent', [served('a', { mayRun: false })], [use('a')], [kept('a')], ['stop a']],
  ['removes one of an earlier revision', [], [use('a')], [kept('a')], ['remove kept a', 'forget a']],
])('reconciles agents and models: %s', async (_what, images, known, found, expected) => {
  const { containers, done } = engineWith(found)
  const workloads = {
    sandboxesWithImages: async () => [],
    servedImages: async () => images,
    servedContainer: async ({ id, image }: { id: string; image: string }) => ({ id, image, memoryMb: 128 }),
    removedStorage: async () => [],
  }
  const uses = {
    known: async () => known,
    adopt: async (id: string) => void done.push(`adopt ${id}`),
    claimStop: async (id: string) => done.push(`claim ${id}`) > 0,
    endStop: async (id: string) => void done.push(`end ${id}`),
    forget: async (id: string) => void done.push(`forget ${id}`),
  }
  const needs = { containers, workloads, sandboxUses, containerUses: uses, log() {}, now, isContainer: () => true }

  await keepContainers(needs)()

  expect(done).toEqual(expected)
})
