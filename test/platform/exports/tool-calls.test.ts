import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { ExportBatch } from '../../../src/kit/export/destination.ts'
import {
  postgresToolCallExport,
  toolCallExportStates,
} from '../../../src/platform/exports/adapters/tool-call-export.ts'
import { exportToolCalls } from '../../../src/platform/exports/flows/export-tool-calls.ts'
import { answering, startReceiver, verified, type WebhookReceiver } from '../../support/doubles/webhook-receiver.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const folder = join(temporaryFolder(), 'tool-calls')

let world: PlatformWorld
let receiver: WebhookReceiver
let collector: WebhookReceiver
beforeAll(async () => {
  ;[receiver, collector] = await Promise.all([startReceiver(), startReceiver()])
  world = await platformWorld({
    env: {
      TOOL_CALL_EXPORT_FOLDER: folder,
      TOOL_CALL_EXPORT_OTLP_ENDPOINT: new URL(collector.url).origin,
      TOOL_CALL_EXPORT_WEBHOOK_URL: receiver.url,
      TOOL_CALL_EXPORT_WEBHOOK_SECRETS: secret,
    },
  })
})
afterEach(async () => {
  receiver.calm()
  await world.pool.query(`delete from tool_call_exports where destination like 'test%'`)
})
afterAll(async () => {
  await world.close()
  await Promise.all([receiver.close(), collector.close()])
})

const insertion = `
  insert into tool_calls (at, duration_ms, workspace, function_name, function_id, caller_kind, caller_id, caller_label,
    credential, tool, outcome)
  values (now(), 12, 'acme', 'mail', 'f-1', 'user', 'u-1', 'User', 'key-1', $1, 'succeeded') returning id`

const call = async (tool = 'search') => Number((await world.pool.query(insertion, [tool])).rows[0].id)

/** Starts behind the calls of other tests. */
async function stream(name = 'test') {
  const { rows } = await world.pool.query(`select coalesce(max(id), 0) as last from tool_calls`)
  await world.pool.query(
    `insert into tool_call_exports (destination, exported, due_at) values ($1, $2, now()) on conflict do nothing`,
    [name, rows[0].last],
  )
  const sent: string[] = []
  const destination = {
    name,
    pauseSeconds: 0,
    send: async ({ records }: ExportBatch) => {
      sent.push(...records.map(({ id }) => id))
      return { rejected: 0 }
    },
  }
  const toolCallExport = { ...postgresToolCallExport(world.pool), destinations: [] }
  const ports = { toolCallExport, pause: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) }
  const reports = { failed: () => {}, rejected: () => {} }
  return { sent, run: () => exportToolCalls(ports, destination, reports) }
}

const named = (ids: number[]) => ids.map((id) => `call_${id}`)

test('the program exports a call to a folder, a collector and a webhook, without its arguments', async () => {
  world.adapters.toolCalls.note({
    at: new Date('2026-11-15T09:30:02.123Z'),
    durationMs: 40,
    workspace: 'acme',
    functionName: 'mail',
    functionId: 'f-1',
    caller: { kind: 'user', id: 'u-1', label: 'User', credential: 'key-1' },
    tool: 'send_message',
    outcome: 'failed',
    code: 'third_party_error',
  })

  const [message] = await waitFor('the webhook has it', () => receiver.messages.length > 0 && receiver.messages)
  const [logs] = await waitFor('the collector has it', () => collector.messages.length > 0 && collector.messages)
  const [file] = await waitFor('the folder has it', () => filesIn().length > 0 && filesIn())
  if (!message || !logs || !file) throw new Error('nothing was sent')
  const record = {
    id: expect.stringMatching(/^call_\d+$/),
    time: '2026-11-15T09:30:02.123Z',
    workspace: 'acme',
    function: { name: 'mail', id: 'f-1' },
    tool: 'send_message',
    outcome: 'failed',
    code: 'third_party_error',
    durationMs: 40,
    caller: { kind: 'user', id: 'u-1', name: 'User', credential: 'key-1' },
  }
  expect(verified(secret, message)).toMatchObject({ type: 'tool_calls.records', data: { records: [record] } })
  expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toEqual(record)
  const { resourceLogs } = JSON.parse(logs.body)
  expect(JSON.parse(resourceLogs[0].scopeLogs[0].logRecords[0].body.stringValue)).toEqual(record)
  expect(resourceLogs[0].scopeLogs[0].logRecords[0]).toMatchObject({
    timeUnixNano: '1794735002123000000',
    attributes: expect.arrayContaining([
      { key: 'event.name', value: { stringValue: 'tool_call' } },
      { key: 'causeway.workspace.name', value: { stringValue: 'acme' } },
    ]),
  })
})

const filesIn = () => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.ndjson'))
  } catch {
    return []
  }
}

test('a call that becomes visible late is waited for, so that none is left out', async () => {
  const { sent, run } = await stream()
  const slow = await world.pool.connect()
  await slow.query('begin')
  const first = Number((await slow.query(insertion, ['late'])).rows[0].id)
  const second = await call()
  let isDone = false
  const running = run().finally(() => {
    isDone = true
  })
  const third = await call() // later writers do not wait
  expect(isDone).toBe(false)
  await slow.query('commit')
  slow.release()
  await running
  await run()

  expect(sent).toEqual(named([first, second, third]))
})

test('a transaction that stays open holds the export up, and leaves nothing out', async () => {
  const { sent, run } = await stream()
  const slow = await world.pool.connect()
  await slow.query('begin')
  const first = Number((await slow.query(insertion, ['late'])).rows[0].id)
  const second = await call()
  await run()
  expect(sent).toEqual([])

  await slow.query('commit')
  slow.release()
  await run()

  expect(sent).toEqual(named([first, second]))
})

test('numbers of transactions that were rolled back are no gap', async () => {
  const { sent, run } = await stream()
  const first = await call()
  const failed = await world.pool.connect()
  await failed.query('begin')
  await failed.query(insertion, ['undone'])
  await failed.query('rollback')
  failed.release()
  const second = await call()

  await run()
  await run()

  expect(sent).toEqual(named([first, second]))
})

test('several processes share the work, while others write: each call is sent once, in order', async () => {
  const processes = [await stream(), await stream(), await stream()]
  const sent: string[] = []
  for (const each of processes) each.sent.push = (...ids: string[]) => sent.push(...ids)
  let isWriting = true
  const write = async () => {
    const ids: number[] = []
    for (let count = 0; count < 250; count++) ids.push(await call())
    return ids
  }
  const written = Promise.all([write(), write(), write(), write()]).finally(() => {
    isWriting = false
  })
  await Promise.all(
    processes.map(async ({ run }) => {
      while (isWriting) await run()
    }),
  )
  const ids = (await written).flat().sort((one, other) => one - other)
  for (const { run } of processes) while ((await run()) > 0);

  expect(ids).toHaveLength(1_000)
  expect(sent).toEqual(named(ids))
})

test('the lag is that of the oldest missing call, and only of destinations in the settings', async () => {
  const { run } = await stream()
  await world.pool.query(insertion.replace('now()', `now() - interval '1 hour'`), ['old'])

  const behind = await toolCallExportStates(world.pool, ['test', 'test-new'])
  await run()

  expect(behind).toMatchObject([
    { destination: 'test', lagSeconds: expect.any(Number), failures: 0 },
    { destination: 'test-new' },
  ])
  expect(behind[0]?.lagSeconds).toBeGreaterThan(3_590)
  expect(await toolCallExportStates(world.pool, ['test'])).toMatchObject([{ lagSeconds: 0 }])
  expect(await toolCallExportStates(world.pool, [])).toEqual([])
})

test('calls wait for a receiver that refuses, and are sent when it accepts them', async () => {
  receiver.receive = answering(503)
  const id = await call('held')
  await waitFor('it was refused', () => receiver.messages.length > 0)
  receiver.calm()
  await world.pool.query(`update tool_call_exports set due_at = now() where destination = 'webhook'`)

  const received = () => receiver.messages.flatMap((message) => verified(secret, message).data.records as object[])
  const [record] = await waitFor('it has arrived', () => {
    const found = received().filter((each) => 'id' in each && each.id === `call_${id}`)
    return found.length > 0 && found
  })
  expect(record).toMatchObject({ tool: 'held' })
})
