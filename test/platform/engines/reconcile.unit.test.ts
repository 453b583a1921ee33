// What is removed, stopped and started when the lists of the database and the engine differ.
import { expect, test } from 'vitest'
import { keepContainers } from '../../../src/platform/gateway/flows/keep-containers.ts'
import { collectRuns } from '../../../src/platform/jobs/flows/collect-runs.ts'
import type { Containers, FoundContainer } from '../../../src/platform/shared/domain/engine.ts'

function engineWith(found: readonly FoundContainer[]) {
  const done: string[] = []
  const containers: Containers = {
    fetch: async () => ({}),
    keep: async ({ id }) => {
      done.push(`keep ${id}`)
      return id === 'broken' ? { problem: 'It has no shell.' } : {}
    },
    stop: async (id) => void done.push(`stop ${id}`),
    remove: async ({ kind, id }) => void done.push(`remove ${kind} ${id}`),
    list: async () => [...found],
    watch: async () => {},
  }
  return { containers, done }
}

const sandbox = (id: string, isWanted = true, image = 'acme/box') => ({ id, image, memoryMb: 128, isWanted })
const kept = (id: string, isRunning = true) => ({ kind: 'kept' as const, id, isRunning })
const volume = (id: string) => ({ kind: 'volume' as const, id, isRunning: false })
const run = (id: string) => ({ kind: 'run' as const, id, isRunning: true })

const reconcile = async (wanted: Array<ReturnType<typeof sandbox>>, found: Parameters<typeof engineWith>[0]) => {
  const { containers, done } = engineWith(found)
  const removedStorage = async (ids: readonly string[]) => ids.filter((id) => id === 'gone')
  const workloads = { sandboxesWithImages: async () => wanted, removedStorage }
  const log = (event: string, fields?: { count?: number }) => void done.push(`${event} ${fields?.count}`)
  await keepContainers({ containers, workloads, log, isContainer: (image) => image !== 'local/echo' })()
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

test('all missing containers are started, also if there are many', async () => {
  const wanted = Array.from({ length: 10 }, (_, at) => sandbox(`${at}`))

  expect((await reconcile(wanted, [])).sort()).toEqual(wanted.map(({ id }) => `keep ${id}`))
})

test('only containers of tasks that nobody leases are collected', async () => {
  const { containers, done } = engineWith([run('leased'), run('lost'), kept('box')])

  await collectRuns(containers, { leased: async () => new Set(['leased']) })()

  expect(done).toEqual(['remove run lost'])
})
