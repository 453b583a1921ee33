// A process on an engine that returns outputs only at the end, and one that cannot be started.
import { expect, test } from 'vitest'
import type { ProcessEnd, ProcessKey, SandboxProcesses } from '../../../src/platform/gateway/domain/sandbox/process.ts'
import type { OpenSandbox } from '../../../src/platform/gateway/domain/sandbox/sandbox.ts'
import { runProcesses } from '../../../src/platform/gateway/flows/sandbox/run-processes.ts'
import { Failure } from '../../../src/platform/shared/domain/failure.ts'

async function process(run: OpenSandbox['run']) {
  const written: string[] = []
  let end: ProcessEnd | undefined
  const add = (output: string, part: Uint8Array) => void written.push(`${output}: ${Buffer.from(part)}`)
  const processes = {
    add: async () => {},
    openOutput: () => ({ add, close: async () => {} }),
    end: async (_key: unknown, given: ProcessEnd) => {
      end = given
    },
  } as unknown as SandboxProcesses
  const usage = { record: () => {} } as never
  const needs = { processes, usage, now: () => new Date(), pause: async () => {}, log: () => {} }
  const opened = { sandbox: { id: 'id', name: 'box', memoryMb: 128 }, run } as unknown as OpenSandbox
  const input = { command: 'x', env: {}, waitForCompletion: true, waitForPorts: [] }
  const started = await runProcesses(needs).start('acme', opened, {
    ...input,
    keepAlive: false,
    restartOnFailure: false,
  })
  await started.over
  return { written, end }
}

test('outputs that the engine returns at the end are written', async () => {
  const { written, end } = await process(async () => ({ stdout: 'out\n', stderr: 'err\n', exitCode: 0 }))

  expect(written).toEqual(['stdout: out\n', 'stderr: err\n'])
  expect(end).toEqual({ state: 'completed', exitCode: 0 })
})

test('outputs that the engine passed on are not written twice', async () => {
  const { written } = await process(async ({ onOutput }) => {
    onOutput?.('stdout', Buffer.from('out\n'))
    return { stdout: 'out\n', stderr: '', exitCode: 0 }
  })

  expect(written).toEqual(['stdout: out\n'])
})

test('a command that is rejected is failed, with the reason as its output', async () => {
  const { written, end } = await process(() =>
    Promise.reject(new Failure('workload_unavailable', 'The engine does not answer.')),
  )

  expect(written).toEqual(['stderr: The engine does not answer.\n'])
  expect(end).toEqual({ state: 'failed', exitCode: 137 })
})

const started = { command: 'x', env: {}, waitForCompletion: false, waitForPorts: [], keepAlive: false }

function running(run: OpenSandbox['run'], pause: () => Promise<void> = async () => {}) {
  const ends: ProcessEnd[] = []
  const billed: string[] = []
  const processes = {
    add: async () => {},
    openOutput: () => ({ add: () => {}, close: async () => {} }),
    noteRestart: async () => {},
    requestStop: async () => {},
    end: async (_key: unknown, end: ProcessEnd) => void ends.push(end),
  } as unknown as SandboxProcesses
  const usage = { record: ({ eventId }: { eventId: string }) => void billed.push(eventId) } as never
  const all = runProcesses({ processes, usage, now: () => new Date(), pause, log: () => {} })
  const opened = { sandbox: { id: 'id', name: 'box', memoryMb: 128 }, run } as unknown as OpenSandbox
  const start = (more: object = {}) => all.start('acme', opened, { ...started, restartOnFailure: false, ...more })
  return { all, start, ends, billed }
}

const never = new Promise<never>(() => {})
const failed = { stdout: '', stderr: '', exitCode: 1 }

test('a process that is stopped while it waits for its restart ends at once, and does not start again', async () => {
  let runs = 0
  let isWaiting = () => {}
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve
  })
  const pause = () => {
    isWaiting()
    return never
  }
  const { all, start, ends } = running(async () => {
    runs++
    return failed
  }, pause)
  const process = await start({ restartOnFailure: true, maxRestarts: -1 })
  await waiting

  await all.stop({ ...process, state: 'running' } as never, 'stopped')

  expect([runs, ends]).toEqual([1, [{ state: 'stopped', exitCode: 1 }]])
})

test('processes that wait for their restart count for the limit', async () => {
  const { start } = running(
    async () => failed,
    () => never,
  )
  for (let count = 0; count < 32; count++) await start({ restartOnFailure: true, maxRestarts: -1 })

  await expect(start()).rejects.toThrow('32 processes of this workspace are running')
})

test('a process that is abandoned is billed until then', async () => {
  const { start, billed, ends } = running(() => Promise.reject(new Error('a defect')))

  await (await start()).over

  expect([billed.length, ends]).toEqual([1, []])
})

test('a process whose end could not be stored is not renewed, so that its lease runs out', async () => {
  const renewed: string[][] = []
  let isStored = false
  const processes = {
    add: async () => {},
    openOutput: () => ({ add: () => {}, close: async () => {} }),
    end: async () => {
      if (!isStored) throw new Error('the database is away')
    },
    renew: async (_worker: string, own: readonly ProcessKey[]) => {
      renewed.push(own.map(({ pid }) => pid))
      return []
    },
  } as unknown as SandboxProcesses
  const needs = { processes, usage: { record: () => {} } as never, now: () => new Date(), log: () => {} }
  const all = runProcesses({ ...needs, pause: async () => {} })
  const ended = { stdout: '', stderr: '', exitCode: 0 }
  const opened = { sandbox: { id: 'id', name: 'box', memoryMb: 128 }, run: async () => ended } as unknown as OpenSandbox
  const lost = await all.start('acme', opened, { ...started, restartOnFailure: false })
  await lost.over
  isStored = true
  const open = { ...opened, run: () => new Promise(() => {}) } as unknown as OpenSandbox
  const kept = await all.start('acme', open, { ...started, restartOnFailure: false })

  await all.renew()

  expect(renewed).toEqual([[kept.pid]])
})
