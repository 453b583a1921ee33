// What a tenant can make the platform keep, write or repeat.
import type pg from 'pg'
import { expect, test } from 'vitest'
import { ExecutionInput } from '../../../src/contract/control-plane/execution.ts'
import {
  SandboxFindQuery,
  SandboxGrepQuery,
  SandboxProcessInput,
  SandboxTreeInput,
} from '../../../src/contract/gateway/sandboxes.ts'
import { turns } from '../../../src/kit/process/turns.ts'
import { postgresSandboxProcesses } from '../../../src/platform/gateway/adapters/sandboxes/sandbox-processes.ts'
import { openLimit } from '../../../src/platform/gateway/domain/sandbox/open-limit.ts'
import { beginUpload, completeUpload, removePath } from '../../../src/platform/gateway/flows/sandbox/change-files.ts'
import { followLines } from '../../../src/platform/gateway/flows/sandbox/read-processes.ts'
import { Failure } from '../../../src/platform/shared/domain/failure.ts'

test('a command that changes between its outputs writes a limited number of parts', async () => {
  const written: number[] = []
  const query = async ({ values }: { values: unknown[] }) => {
    written.push(...values.filter((value) => Array.isArray(value)).map((value) => (value as unknown[]).length))
    return { rows: [], rowCount: 0 }
  }
  const output = postgresSandboxProcesses({ query } as unknown as pg.Pool).openOutput({ sandbox: 's', pid: '1' })
  for (let count = 0; count < 3_000; count++) output.add(count % 2 === 0 ? 'stdout' : 'stderr', Buffer.from('x'))

  await output.close()

  expect(written).toEqual([1_000, 1_000])
})

test('a line without an end is passed on in parts', async () => {
  const content = 'x'.repeat(100 * 1024)
  let looks = 0
  const processes = {
    outputAfter: async (_key: unknown, part: number) => ({
      isRunning: looks++ < 2,
      parts: part < 3 ? [{ part: part + 1, output: 'stdout', content }] : [],
    }),
  }
  const followed = followLines({ processes, pause: async () => {} } as never, {} as never, () => false)

  const lengths: number[] = []
  for await (const { line } of followed) lengths.push(line.length)

  expect(lengths).toEqual([content.length, content.length, content.length])
})

test('an upload takes each part once', async () => {
  const written: string[] = []
  const files = {
    read: async (path: string) => Buffer.from(path.slice(-1)),
    write: async (_path: string, content: Buffer) => void written.push(String(content)),
    append: async (_path: string, content: Buffer) => void written.push(String(content)),
    remove: async () => {},
  }

  await completeUpload({ files } as never, beginUpload('/a').uploadId, [2, 1, 2, 1])

  expect(written).toEqual(['1', '2'])
})

test('a folder is not deleted if its contents could not be read', async () => {
  const removed: string[] = []
  const list = () => Promise.reject(new Failure('workload_unavailable', 'The engine does not answer.'))
  const files = { remove: async (path: string) => void removed.push(path) }

  await expect(removePath({ list, files } as never, '/notes', false)).rejects.toThrow('does not answer')
  expect(removed).toEqual([])
})

test('a tree has a limited number of files', () => {
  const files = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, '']))
  const isValid = (count: number) => SandboxTreeInput.safeParse({ files: files(count) }).success

  expect([isValid(1_000), isValid(1_001)]).toEqual([true, false])
})

test('a limited number is open at the same time for each name', () => {
  const take = openLimit(2, 'folders of this workspace are watched')
  const releases = [take('acme'), take('acme')]

  expect(() => take('acme')).toThrow('2 folders of this workspace are watched, which is the maximum')
  expect(() => take('beta')).not.toThrow()
  releases[0]?.()
  expect(() => take('acme')).not.toThrow()
})

test('a stream without output reads less and less often, and at once often after an output', async () => {
  const content = 'x\n'
  const pauses: number[] = []
  const parts = [[], [], [], [{ part: 1, output: 'stdout', content }], []]
  const processes = { outputAfter: async () => ({ isRunning: parts.length > 1, parts: parts.shift() }) }
  const pause = async (ms: number) => void pauses.push(ms)

  for await (const { line } of followLines({ processes, pause } as never, {} as never, () => false)) {
    expect(line).toBe('x')
  }

  expect(pauses).toEqual([500, 1_000, 1_000, 250])
})

test('a workspace has a limited number of files in memory, and the others wait in order', async () => {
  const take = turns(2)
  const began: number[] = []
  const ends = [1, 2, 3, 4].map((number) =>
    take('acme').then((end) => {
      began.push(number)
      return end
    }),
  )
  await take('beta')

  expect(began).toEqual([1, 2])
  ;(await ends[1])?.()
  await ends[2]
  expect(began).toEqual([1, 2, 3])
  for (const at of [0, 2]) (await ends[at])?.()
  await ends[3]
  expect(began).toEqual([1, 2, 3, 4])
})

test.each([
  [SandboxProcessInput, { command: 'x\0' }],
  [SandboxProcessInput, { command: 'x', workingDir: '/\0' }],
  [SandboxProcessInput, { command: 'x', env: { A: '\0' } }],
  [SandboxGrepQuery, { query: 'x\0' }],
  [SandboxGrepQuery, { query: 'x', filePattern: '\0' }],
  [SandboxGrepQuery, { query: 'x', excludeDirs: '\0' }],
  [SandboxFindQuery, { patterns: '\0' }],
  [ExecutionInput, { tasks: [{}], env: JSON.stringify({ A: '\0' }) }],
])('a NUL character for a command is rejected (%#)', (schema, input) => {
  expect(schema.safeParse(input).error?.message).toMatch(/NUL|JSON object with string values/)
})
