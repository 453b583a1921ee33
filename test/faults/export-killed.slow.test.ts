// Both programs export while their processes are killed between two steps, and while the receiver misbehaves. Each record
// arrives at least once, in the order of its stream.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answering,
  silence,
  startReceiver,
  verified,
  type WebhookReceiver,
} from '../support/doubles/webhook-receiver.ts'
import { linkPatiently } from '../support/http/patient-user.ts'
import { leaks } from '../support/oracles/canaries.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'
import { startPlatformProcess } from '../support/processes/platform-process.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { type PlatformWorld, platformWorld } from '../support/worlds/platform-world.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

type Program = {
  pool: pg.Pool
  /** Has the positions of the destinations. */
  positions: string
  /** Has the records that are read. */
  source: string
  start(): Promise<{ kill(): Promise<void> }>
  add(): Promise<void>
  /** Streams by name, with the IDs of their records in order. */
  expected(): Promise<Record<string, string[]>>
  streamOf(id: string): string
  close(): Promise<void>
}

type Sent = { id: string }

let receiver: WebhookReceiver
let folder: string

const env = (prefix: string) => ({
  [`${prefix}_FOLDER`]: folder,
  [`${prefix}_WEBHOOK_URL`]: receiver.url,
  [`${prefix}_WEBHOOK_SECRETS`]: secret,
})

async function onboarding(): Promise<Program & { fleet: Fleet }> {
  const fleet = await startFleet({ env: env('AUDIT_EXPORT') })
  let tenants = 0
  return {
    fleet,
    pool: fleet.sql,
    positions: 'audit_exports',
    source: 'audit_blocks',
    start: () => fleet.start(),
    async add() {
      await fleet.putTenant('acme')
      await fleet.putTenant(`tenant-${tenants++}`)
    },
    async expected() {
      await waitFor('all entries are sealed', async () => {
        const { rows } = await fleet.sql.query(
          `select (select count(*) from audit) = (select coalesce(sum(cardinality(ids)), 0) from audit_blocks) as sealed`,
        )
        return rows[0].sealed
      })
      const { rows } = await fleet.sql.query(
        `select chain, sum(cardinality(ids))::int as count from audit_blocks group by 1`,
      )
      return Object.fromEntries(
        rows.map(({ chain, count }) => [chain, Array.from({ length: count }, (_, at) => `${chain}:${at + 1}`)]),
      )
    },
    streamOf: (id) => id.slice(0, id.lastIndexOf(':')),
    close: fleet.close,
  }
}

async function platform(): Promise<Program> {
  const world: PlatformWorld = await platformWorld()
  const running: Array<{ kill(): Promise<void> }> = []
  return {
    pool: world.pool,
    positions: 'tool_call_exports',
    source: 'tool_calls',
    async start() {
      const started = await startPlatformProcess(world, env('TOOL_CALL_EXPORT'))
      running.push(started)
      return started
    },
    async add() {
      await world.pool.query(`
        insert into tool_calls (at, duration_ms, workspace, function_name, function_id, caller_kind, caller_id,
          caller_label, credential, tool, outcome)
        select now(), 12, 'acme', 'mail', 'f-1', 'user', 'u-1', 'User', 'key-1', 'search', 'succeeded'
        from generate_series(1, 3)`)
    },
    async expected() {
      const { rows } = await world.pool.query('select id from tool_calls order by id')
      return { call: rows.map(({ id }) => `call_${id}`) }
    },
    streamOf: () => 'call',
    async close() {
      for (const each of running) await each.kill()
      await world.close()
    },
  }
}

const inFiles = (): Sent[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))

/** Both programs share src/kit/export; only their reading and their positions differ. */
describe.each([
  { what: 'audit of onboarding', open: onboarding, isWhole: true },
  { what: 'tool calls of the platform', open: platform, isWhole: false },
])('the $what', ({ open, isWhole }) => {
  let program: Program & { fleet?: Fleet }
  const living: Array<{ kill(): Promise<void> }> = []
  /** What the receiver has accepted, in order of arrival. */
  let accepted: Sent[]
  const accept = (res: ServerResponse, { body }: WebhookReceiver['messages'][number]) => {
    accepted.push(...JSON.parse(body).data.records)
    res.writeHead(204).end()
  }

  beforeAll(async () => {
    receiver = await startReceiver()
    folder = join(temporaryFolder(), 'exported')
    mkdirSync(folder)
    accepted = []
    receiver.receive = accept
    program = await open()
    living.push(await program.start(), await program.start())
  }, 120_000)
  afterAll(async () => {
    await program?.close()
    await receiver?.close()
  })

  /** Leases of the dead and pauses after failures end. */
  const letBeDue = () => program.pool.query(`update ${program.positions} set due_at = now()`)

  async function replaceAll() {
    await Promise.all(living.splice(0).map((each) => each.kill()))
    receiver.receive = accept
    living.push(await program.start(), await program.start())
    await letBeDue()
  }

  /** While it is locked, a step that needs the table waits. Returns after the processes were killed in this step. */
  async function killWhileWaitingFor(table: string, lead: () => Promise<unknown>) {
    const locker = await program.pool.connect()
    await locker.query(`begin`)
    await locker.query(`lock table ${table} in access exclusive mode`)
    await lead()
    await waitFor('a step waits for the table', async () => {
      const { rows } = await locker.query('select pid from pg_locks where not granted and relation = $1::regclass', [
        table,
      ])
      return rows.length > 0
    })
    const dead = Promise.all(living.map((each) => each.kill()))
    await locker.query('rollback')
    locker.release()
    await dead
  }

  const untilAsked = () => waitFor('the receiver is asked', () => receiver.messages.length > 0, { withinMs: 60_000 })

  async function untilArrived() {
    const expected = Object.values(await program.expected()).flat()
    await waitFor(
      'all records have arrived',
      async () => {
        await letBeDue()
        const [byWebhook, byFolder] = [accepted, inFiles()].map((sent) => new Set(sent.map(({ id }) => id)))
        return expected.every((id) => byWebhook?.has(id) && byFolder?.has(id))
      },
      { withinMs: 90_000 },
    )
  }

  const moments: Array<[string, () => Promise<void>]> = [
    [
      'before they claim',
      async () => {
        await program.add()
        await killWhileWaitingFor(program.positions, async () => {})
      },
    ],
    [
      'before they read',
      async () => {
        await program.add()
        await killWhileWaitingFor(program.source, letBeDue)
      },
    ],
    [
      'before the receiver answers',
      async () => {
        receiver.receive = silence
        await program.add()
        await letBeDue()
        await untilAsked()
      },
    ],
    [
      'in the middle of the answer',
      async () => {
        receiver.receive = (res) => void res.writeHead(200, { 'content-length': '10' }).write('half')
        await program.add()
        await letBeDue()
        await untilAsked()
      },
    ],
    [
      'before they record the position',
      async () => {
        const answers: Array<() => void> = []
        receiver.receive = (res, message) => void answers.push(() => accept(res, message))
        await program.add()
        await letBeDue()
        await untilAsked()
        await killWhileWaitingFor(program.positions, async () => {
          for (const answer of answers) answer()
        })
      },
    ],
    [
      'after they have recorded it',
      async () => {
        await program.add()
        await untilArrived()
      },
    ],
  ]

  test.each(moments.filter(([when]) => isWhole || when.startsWith('before they')))(
    'loses nothing if all processes are killed %s',
    async (_when, reach) => {
      receiver.messages.length = 0
      await reach()

      await replaceAll()

      await untilArrived()
    },
    240_000,
  )

  const rude: Array<[string, WebhookReceiver['receive']]> = [
    ['hangs', silence],
    ['answers 500', answering(500)],
    ['answers 429', answering(429, { 'retry-after': '3600' })],
    ['drops the connection', (res) => res.destroy()],
    [
      'stops in the middle of its answer',
      (res) => void res.writeHead(200, { 'content-length': '9' }).write('x', () => res.destroy()),
    ],
  ]

  test.each(isWhole ? rude : rude.slice(0, 1))(
    'loses nothing if the receiver of two living processes %s',
    async (_how, receive) => {
      receiver.messages.length = 0
      receiver.receive = receive
      await program.add()
      await letBeDue()
      await untilAsked()
      await program.add()
      await letBeDue()

      receiver.receive = accept

      await untilArrived()
    },
    240_000,
  )

  test('arrives in the order of each stream, signed, and without secrets', async () => {
    if (program.fleet) await linkPatiently(program.fleet)
    await program.add()
    await untilArrived()

    const expected = await program.expected()
    for (const sent of [accepted, inFiles()]) {
      const firsts = [...new Set(sent.map(({ id }) => id))]
      for (const [stream, ids] of Object.entries(expected)) {
        expect(firsts.filter((id) => program.streamOf(id) === stream).slice(0, ids.length)).toEqual(ids)
      }
    }
    const last = receiver.messages.at(-1)
    if (!last) throw new Error('nothing was sent')
    expect(verified(secret, last).data.records).not.toEqual([])
    const { fleet } = program
    const known = fleet
      ? [fleet.key, fleet.env.PLATFORM_API_KEY, fleet.env.SIGNING_KEY, ...fleet.codes.keys()].concat(
          fleet.provider.issued.flatMap(({ token, code }) => [token, code]),
        )
      : []
    const secrets = known.flatMap((value) => (value ? { name: 'api key' as const, value } : []))
    const texts = [accepted, inFiles()].map((sent) => ({ place: 'export', text: JSON.stringify(sent) }))
    expect(leaks(secrets, texts)).toEqual([])
  }, 240_000)
})
