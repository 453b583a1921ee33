// F15: crash points of failing links, and crashes while another server handles a request.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Failing, SeenRequest } from '../support/doubles/control-plane.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { answered, type Journey, linkPatiently, untilCallback } from '../support/http/patient-user.ts'
import { type Crash, type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'
import { crashPoints } from '../support/processes/crashing.ts'
import { type Fleet, untilLink } from '../support/processes/onboarding-process.ts'

let lanes: CrashLanes

beforeAll(async () => {
  lanes = await openCrashLanes({ inner: true })
}, 120_000)
afterAll(() => lanes.close())

type Scenario = Pick<Crash, 'arrange' | 'travel'> & { actions: string[]; ends: string }

const scenarios: Scenario[] = [
  {
    actions: ['links.denied'],
    arrange: ({ provider }) => provider.misbehave({ callback: { code: undefined, error: 'access_denied' } }),
    ends: 'denied',
  },
  {
    actions: ['links.authorizing'],
    arrange: ({ provider }) =>
      provider.misbehave({
        token: ({ body }) => {
          provider.issued.pop() // never sent
          return { body: without(body, 'refresh_token') }
        },
      }),
    ends: 'authorizing',
  },
  {
    actions: ['provider.revoke', 'links.failed'],
    arrange: ({ provider }) => provider.misbehave({ token: ({ body }) => ({ body: { ...body, scope: 'openid' } }) }),
    ends: 'failed',
  },
  {
    actions: ['links.exchange_unknown'],
    arrange: ({ provider }) => provider.misbehave({ token: (_honest, res) => void res.destroy() }),
    ends: 'exchange_unknown',
  },
  {
    actions: ['links.postpone'],
    arrange: ({ platform }) => {
      platform.fault = (_request, count) => (count === 1 ? 500 : undefined)
    },
    ends: 'linked',
  },
  {
    // Written only if the platform does not create the function at once.
    actions: ['links.connection_ready'],
    arrange: ({ platform }) => {
      let refused = false
      platform.fault = ({ method, path }) => {
        if (refused || method !== 'POST' || !path.endsWith('/functions')) return undefined
        refused = true
        return 503
      }
    },
    ends: 'linked',
  },
  {
    actions: ['links.needs_attention'],
    arrange: ({ platform }) => {
      platform.fault = ({ method }) => (method === 'POST' ? 422 : undefined)
    },
    ends: 'needs_attention',
  },
  {
    actions: ['links.revoking'],
    arrange: ({ platform }) => {
      platform.fault = ({ method }) => (method === 'POST' ? 422 : undefined)
    },
    travel: leaveUnattended,
    ends: 'failed',
  },
  { actions: ['links.cancelled'], travel: startAndCancel, ends: 'cancelled' },
  { actions: ['links.abandoned'], travel: leaveUncompleted, ends: 'abandoned' },
]

const cases = scenarios.flatMap(({ actions, ...scenario }) =>
  actions.flatMap((action) => [`before.${action}`, `after.${action}`].map((at) => ({ at, ...scenario }))),
)

test.concurrent.each(cases)(
  'the link ends $ends after a crash at $at',
  async ({ at, arrange, travel, ends }) => {
    const link = await lanes.crash({ at, ...(arrange && { arrange }), ...(travel && { travel }) })

    expect(link?.state).toBe(ends)
  },
  240_000,
)

test.concurrent.each([
  { done: 'before', failing: 'cut' as const },
  { done: 'after', failing: 'drop' as const },
])(
  'the link ends linked after a crash $done the platform has done the connection request',
  async ({ failing }) => {
    const link = await lanes.crash({
      arrange: ({ platform }, victim) => {
        let killed = false
        platform.fault = ({ path }: SeenRequest): Failing | undefined => {
          if (killed || !path.endsWith('/connections')) return undefined
          killed = true
          void victim.kill()
          return failing
        }
      },
    })

    expect(link?.state).toBe('linked')
  },
  240_000,
)

// The ledger and the platform are the same after one effect as before the next.
test('a crash before or after each effect is tested', () => {
  const here = cases.map(({ at }) => at)
  const others = [
    'crash-samples',
    'crash-on-the-way.slow',
    'crash-twice.slow',
    'crash-in-relink.slow',
    'crash-in-tasks.slow',
  ]
  const there = others.map((name) => readFileSync(new URL(`${name}.test.ts`, import.meta.url), 'utf8')).join()
  const isTested = (point: string) => here.includes(point) || there.includes(`'${point}'`)

  const effects = new Set(crashPoints.map((point) => point.replace(/^(before|after)\./, '')))
  expect([...effects].filter((effect) => !isTested(`before.${effect}`) && !isTested(`after.${effect}`))).toEqual([])
})

/** Goes back from the provider's page and chooses Cancel. */
async function startAndCancel(fleet: Fleet): Promise<Journey> {
  const browser = new HttpBrowser()
  const { minted } = await answered('minted', () => fleet.tryMint())
  await answered('started', () => browser.post(minted.url))
  const { status } = await answered('cancelled', () => browser.post(`${minted.url}?cancel`))
  return { minted, outcome: 'returned', last: status }
}

/** The tenant does not complete the link before the code expires. */
async function leaveUncompleted(fleet: Fleet): Promise<Journey> {
  const browser = new HttpBrowser()
  const { minted } = await answered('minted', () => fleet.tryMint())
  const started = await answered('started', () => browser.post(minted.url))
  const { status } = await browser.get(await untilCallback(fleet, minted, browser, started))
  const { id } = await untilLink(fleet, minted, ['code_waiting'])
  await fleet.sql.query('update links set due_at = now() where id = $1', [id])
  await untilLink(fleet, minted, ['abandoned'], 60_000)
  return { minted, outcome: 'returned', last: status }
}

/** Support ignores the link until its escrow expires. */
async function leaveUnattended(fleet: Fleet): Promise<Journey> {
  const journey = await linkPatiently(fleet)
  const { id } = await untilLink(fleet, journey.minted, ['needs_attention'])
  await fleet.sql.query(`update links set updated_at = now() - interval '8 days' where id = $1`, [id])
  await untilLink(fleet, journey.minted, ['failed'], 60_000)
  return journey
}

const without = (body: Record<string, unknown>, member: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== member))
