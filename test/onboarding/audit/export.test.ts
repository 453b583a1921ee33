import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { auditDestinations } from '../../../src/onboarding/adapters/open-audit.ts'
import type { AuditDestination } from '../../../src/onboarding/domain/ports/audit-chain.ts'
import { exportAudit } from '../../../src/onboarding/flows/export-audit.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type AuditWorld, openAuditWorld } from '../../support/worlds/audit-world.ts'

let world: AuditWorld
let folder: string
beforeEach(async () => {
  world = await openAuditWorld()
  folder = join(temporaryFolder(), 'audit')
})
afterEach(() => world.close())

function destinationsOf(otlp?: string) {
  const fetch = guardedFetch({ allow: otlp ? [new URL(otlp).host] : [] })
  const headers = { authorization: 'Bearer canary' }
  return { all: auditDestinations(fetch, { folder: otlp ? undefined : folder, otlp, headers }), close: fetch.close }
}

const failures: object[] = []

const run = (auditDestinations: readonly AuditDestination[]) =>
  exportAudit({ auditExports: world.auditExports, auditDestinations }, (failure) => failures.push(failure))

const letBeDue = () => world.pool.query('update audit_exports set due_at = now()')

const exported = () =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))

test('a folder gets every sealed entry of all chains once, with the signed heads', async () => {
  const { all } = destinationsOf()
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
  await run(destinationsOf().all)
  const [head] = exported().flatMap(({ head }) => head ?? [])
  const saved = JSON.parse(Buffer.from(head.split('.')[1], 'base64url').toString())
  await world.tamper('delete from audit', 'delete from audit_blocks')

  expect(await world.verify('acme', [{ chain: 'acme', ...saved }])).toMatchObject({
    finding: { position: 1, problem: 'shortened' },
  })
})

test('a batch that was sent and not recorded is sent again, and replaces its file', async () => {
  const { all } = destinationsOf()
  await world.add(2)
  await world.seal()
  const claim = await world.auditExports.claim('folder')
  const crashing = {
    ...world.auditExports,
    claim: async () => claim,
    exported: () => Promise.reject(new Error('killed')),
  }
  await expect(exportAudit({ auditExports: crashing, auditDestinations: all }, () => {})).rejects.toThrow('killed')
  await world.add(1)
  await world.seal()
  await letBeDue()
  await run(all)

  expect(readdirSync(folder)).toHaveLength(1)
  expect(exported().map(({ id }) => id)).toEqual(['acme:1', 'acme:2', 'acme:3'])
})

test('one process exports to a destination at a time, and a lost lease records nothing', async () => {
  await world.add(1)
  await world.seal()
  const first = await world.auditExports.claim('folder')
  expect(await world.auditExports.claim('folder')).toBeUndefined()
  await letBeDue()
  const second = await world.auditExports.claim('folder')
  if (!first || !second) throw new Error('not claimed')

  await world.auditExports.exported(first, 99, 0)
  expect((await world.auditExports.claim('folder'))?.exported).toBeUndefined()
  await letBeDue()
  expect((await world.auditExports.claim('folder'))?.exported).toBe(0)
})

type Receiver = { server: Server; url: string; status: number; bodies: Array<Record<string, never>>; headers: string[] }

async function startCollector(): Promise<Receiver> {
  const receiver = { status: 200, bodies: [], headers: [] } as unknown as Receiver
  receiver.server = createServer(async (req, res) => {
    const parts: Buffer[] = []
    for await (const part of req) parts.push(part)
    receiver.headers.push(`${req.method} ${req.url} ${req.headers.authorization}`)
    if (receiver.status === 200) receiver.bodies.push(JSON.parse(Buffer.concat(parts).toString()))
    res.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(receiver.server.address() as AddressInfo).port}`
  return receiver
}

test('an OTLP collector gets log records, and after an outage those that it missed', async () => {
  const collector = await startCollector()
  const { all, close } = destinationsOf(collector.url)
  await world.add(2)
  await world.seal()
  collector.status = 500
  await run(all)
  await letBeDue()
  await run(all)
  collector.status = 200
  await world.add(1)
  await world.seal()
  await letBeDue()
  await run(all)

  expect(collector.headers).toEqual(Array(3).fill('POST /v1/logs Bearer canary'))
  expect(failures.slice(-2)).toEqual([
    { destination: 'otlp', problem: 'the receiver answered 500', inSeconds: 5 },
    { destination: 'otlp', problem: 'the receiver answered 500', inSeconds: 10 },
  ])
  const [body] = collector.bodies as never as [{ resourceLogs: Array<{ scopeLogs: Array<{ logRecords: never[] }> }> }]
  const records = body.resourceLogs[0]?.scopeLogs[0]?.logRecords as unknown as Array<Record<string, never>>
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
  collector.server.close()
})

test('a collector that is away holds one batch back, whatever the backlog', async () => {
  const { all, close } = destinationsOf('http://127.0.0.1:9')
  await world.add(1_200)
  await world.seal()
  const sizes: number[] = []
  const [otlp] = all as [AuditDestination]
  const counting = {
    ...otlp,
    send: (batch: Parameters<AuditDestination['send']>[0]) => {
      sizes.push(batch.records.length)
      return otlp.send(batch)
    },
  }
  for (let round = 0; round < 3; round++) {
    await run([counting])
    await letBeDue()
  }

  expect(new Set(sizes).size).toBe(1)
  expect(sizes[0]).toBeLessThanOrEqual(1_000)
  const { rows } = await world.pool.query('select exported, failures, problem from audit_exports')
  expect(rows).toMatchObject([{ exported: 0, failures: 3, problem: expect.stringContaining('unreachable') }])
  await close()
})
