import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ExportBatch, ExportDestination } from '../../../src/kit/export/destination.ts'
import type { ExportPositions } from '../../../src/kit/export/export-batch.ts'
import { openAuditDestinations } from '../../../src/onboarding/adapters/open-audit.ts'
import { auditExportStates } from '../../../src/onboarding/adapters/postgres/audit-chain/exports.ts'
import { exportAudit } from '../../../src/onboarding/flows/export-audit.ts'
import { answering, startReceiver } from '../../support/doubles/webhook-receiver.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type AuditWorld, openAuditWorld } from '../../support/worlds/audit-world.ts'

let world: AuditWorld
let folder: string
let failures: object[]
let rejections: object[]
beforeEach(async () => {
  world = await openAuditWorld()
  folder = join(temporaryFolder(), 'audit')
  failures = []
  rejections = []
})
afterEach(() => world.close())

const headers = { authorization: 'Bearer canary' }

const only = ({ destinations, close }: ReturnType<typeof openAuditDestinations>) => {
  const [destination] = destinations
  if (!destination) throw new Error('no destination')
  return { destination, close }
}

const toFolder = () => only(openAuditDestinations({ folder, otlp: undefined, headers, webhook: undefined })).destination

const toCollector = (otlp: string) =>
  only(openAuditDestinations({ folder: undefined, otlp, headers, webhook: undefined }))

const run = (destination: ExportDestination, positions: ExportPositions = world.exported.positions) =>
  exportAudit({ auditExport: { ...world.exported, positions, destinations: [] } }, destination, {
    failed: (failure) => failures.push(failure),
    rejected: (rejected) => rejections.push(rejected),
  })

const letBeDue = () => world.pool.query('update audit_exports set due_at = now()')

const files = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()

const exported = () =>
  files()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))

test('a folder gets every sealed entry of all chains once, with the signed heads', async () => {
  const all = toFolder()
  await world.add(3)
  await world.add(1, { tenant: undefined })
  await world.seal()
  await run(all)
  await world.add(2)
  await run(all) // not sealed, not due
  await world.seal()
  await letBeDue()
  await run(all)

  expect(
    exported()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([':1', 'acme:1', 'acme:2', 'acme:3', 'acme:4', 'acme:5'])
  expect(exported().filter(({ head }) => head)).toHaveLength(3)
  expect(exported()[0].body).toMatchObject({ action: 'connection.disconnected', tenantId: 'acme' })
})

test('exported heads show that a chain was cut', async () => {
  await world.add(2)
  await world.seal()
  await run(toFolder())
  const [head] = exported().flatMap(({ head }) => head ?? [])
  const saved = JSON.parse(Buffer.from(head.split('.')[1], 'base64url').toString())
  await world.tamper('delete from audit', 'delete from audit_blocks')

  expect(await world.verify('acme', [{ chain: 'acme', ...saved }])).toMatchObject({
    finding: { position: 1, problem: 'shortened' },
  })
})

test('a batch that was sent and not recorded is sent again, and loses nothing', async () => {
  const all = toFolder()
  await world.add(2)
  await world.seal()
  const crashing = { ...world.exported.positions, exported: () => Promise.reject(new Error('killed')) }
  await expect(run(all, crashing)).rejects.toThrow('killed')
  await world.add(1)
  await world.seal()
  await letBeDue()
  await run(all)

  expect(files()).toEqual(['000000000000000-000000000000001.ndjson', '000000000000000-000000000000002.ndjson'])
  expect(new Set(exported().map(({ id }) => id))).toEqual(new Set(['acme:1', 'acme:2', 'acme:3']))
})

test('a process that lost its lease does not replace a file that has more records', async () => {
  const all = toFolder()
  await world.add(1)
  await world.seal()
  const stalled: ExportBatch[] = []
  const stalling = {
    ...all,
    send: async (batch: ExportBatch) => {
      stalled.push(batch)
      return { rejected: 0 }
    },
  }
  await run(stalling, { ...world.exported.positions, exported: async () => {} })
  await world.add(1)
  await world.seal()
  await letBeDue()
  await run(all)
  for (const batch of stalled) await all.send(batch)

  expect(exported().map(({ id }) => id)).toEqual(['acme:1', 'acme:1', 'acme:2'])
})

test('parts of killed processes are removed from the folder', async () => {
  await world.add(1)
  await world.seal()
  await run(toFolder())
  const left = join(folder, '.parts', 'left')
  writeFileSync(left, '{')
  utimesSync(left, new Date('2026-01-01'), new Date('2026-01-01'))
  writeFileSync(join(folder, '.parts', 'under-way'), '{')
  await world.add(1)
  await world.seal()
  await letBeDue()
  await run(toFolder())

  expect(readdirSync(join(folder, '.parts'))).toEqual(['under-way'])
})

test('one process exports to a destination at a time, and a lost lease records nothing', async () => {
  const { positions } = world.exported
  await world.add(1)
  await world.seal()
  const first = await positions.claim('folder')
  expect(await positions.claim('folder')).toBeUndefined()
  await letBeDue()
  const second = await positions.claim('folder')
  if (!first || !second) throw new Error('not claimed')

  expect(await positions.renew(first)).toBe(false)
  expect(await positions.renew(second)).toBe(true)
  await positions.exported(first, 99, 0)
  expect((await positions.claim('folder'))?.exported).toBeUndefined()
  await letBeDue()
  expect((await positions.claim('folder'))?.exported).toBe(0)
})

type Collected = Array<Record<string, never>>

const recordsIn = (body: string): Collected => JSON.parse(body).resourceLogs[0].scopeLogs[0].logRecords

test('an OTLP collector gets log records, and after an outage those that it missed', async () => {
  const collector = await startReceiver()
  const { destination, close } = toCollector(new URL(collector.url).origin)
  await world.add(2)
  await world.seal()
  collector.receive = answering(500)
  await run(destination)
  await letBeDue()
  await run(destination)
  collector.receive = answering(200)
  await world.add(1)
  await world.seal()
  await letBeDue()
  await run(destination)

  const requests = collector.messages.map(({ path, headers }) => `${path} ${headers.authorization}`)
  expect(requests).toEqual(Array(3).fill('/v1/logs Bearer canary'))
  expect(failures).toEqual([
    { destination: 'otlp', problem: 'the receiver answered 500', inSeconds: 5 },
    { destination: 'otlp', problem: 'the receiver answered 500', inSeconds: 10 },
  ])
  const records = recordsIn(String(collector.messages.at(-1)?.body))
  expect(records).toHaveLength(3)
  expect(records[0]).toMatchObject({
    timeUnixNano: expect.stringMatching(/^\d{19}$/),
    severityNumber: 9,
    attributes: expect.arrayContaining([
      { key: 'log.record.uid', value: { stringValue: 'acme:1' } },
      { key: 'event.name', value: { stringValue: 'connection.disconnected' } },
      { key: 'causeway.tenant.id', value: { stringValue: 'acme' } },
    ]),
  })
  await close()
  await collector.close()
})

test('records that a collector rejects for good are reported, and not sent again', async () => {
  const collector = await startReceiver()
  const { destination, close } = toCollector(new URL(collector.url).origin)
  collector.receive = answering(200, {}, '{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}')
  await world.add(3)
  await world.seal()
  await run(destination)
  await letBeDue()
  await run(destination)

  expect(rejections).toEqual([{ destination: 'otlp', count: 2 }])
  expect(collector.messages).toHaveLength(1)
  await close()
  await collector.close()
})

test('the Retry-After of a receiver is honored up to an hour', async () => {
  const collector = await startReceiver()
  const { destination, close } = toCollector(new URL(collector.url).origin)
  await world.add(1)
  await world.seal()
  for (const asked of ['120', '999999']) {
    collector.receive = answering(429, { 'retry-after': asked })
    await run(destination)
    await letBeDue()
  }

  expect(failures).toMatchObject([{ inSeconds: 120 }, { inSeconds: 3_600 }])
  await close()
  await collector.close()
})

test('a large batch is sent in parts, as long as the lease is held', async () => {
  await world.add(10)
  await world.seal()
  const parts: number[] = []
  const small = {
    name: 'small',
    pauseSeconds: 5,
    maxBytes: 3_000,
    send: async ({ part, records }: ExportBatch) => {
      parts.push(part, records.length)
      if (part === 2) await letBeDue().then(() => world.exported.positions.claim('small'))
      return { rejected: 0 }
    },
  }
  await run(small)
  const { rows } = await world.pool.query('select exported from audit_exports')

  expect(parts.filter((_, at) => at % 2 === 0)).toEqual([0, 1, 2])
  expect(parts[1]).toBeLessThan(5)
  expect(rows).toEqual([{ exported: 0 }])
})

test('a collector that is away holds one batch back, whatever the backlog', async () => {
  const { destination, close } = toCollector('http://127.0.0.1:9')
  await world.add(1_200)
  await world.seal()
  const sizes: number[] = []
  const counting = {
    ...destination,
    maxBytes: Number.POSITIVE_INFINITY,
    send: (batch: ExportBatch) => {
      sizes.push(batch.records.length)
      return destination.send(batch)
    },
  }
  for (let round = 0; round < 3; round++) {
    await run(counting)
    await letBeDue()
  }

  expect(new Set(sizes).size).toBe(1)
  expect(sizes[0]).toBeLessThanOrEqual(1_000)
  const { rows } = await world.pool.query('select exported, failures, problem from audit_exports')
  expect(rows).toMatchObject([{ exported: 0, failures: 3, problem: expect.stringContaining('unreachable') }])
  await close()
})

test('the lag is that of the oldest block a destination lacks, and only of destinations in the settings', async () => {
  await run(toFolder())
  await world.add(1)
  await world.seal()
  await world.pool.query(`update audit_blocks set sealed_at = now() - interval '1 hour'`)
  await world.pool.query(`insert into audit_exports (destination, due_at) values ('removed', now())`)

  const behind = await auditExportStates(world.pool, ['folder', 'new'])
  await letBeDue()
  await run(toFolder())

  expect(behind.map(({ destination }) => destination).sort()).toEqual(['folder', 'new'])
  for (const { lagSeconds } of behind) expect(lagSeconds).toBeGreaterThan(3_590)
  expect(await auditExportStates(world.pool, ['folder'])).toMatchObject([{ lagSeconds: 0, failures: 0 }])
})
