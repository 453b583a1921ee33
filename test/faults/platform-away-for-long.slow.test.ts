// The platform is down for long, then slow, then healthy, with many links of one tenant waiting.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sealedBox } from '../../src/kit/crypto/sealed-box.ts'
import { readConfig } from '../../src/onboarding/config.ts'
import { sealContext } from '../../src/onboarding/domain/seal-context.ts'
import { packAnswer, unpackAnswer } from '../../src/onboarding/provisioning/adapters/openid/stored-answer.ts'
import type { IssuedToken } from '../support/doubles/provider/provider.ts'
import { linkPatiently } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'

let fleet: Fleet

const ceiling = 120

beforeAll(async () => {
  // `crash-on-the-way.slow.test.ts` verifies functions.
  fleet = await startFleet({ env: { BACKLOG_PER_TENANT: String(ceiling), VERIFY_FUNCTIONS: 'false' } })
  await fleet.start()
  for (const tenant of ['acme', 'noisy', 'quiet']) await fleet.putTenant(tenant)
  fleet.platformLine.refuse()
  await linkMany('noisy', 20)
  await copyLinks('noisy', ceiling - 20)
  await linkMany('quiet', 5)
}, 300_000)
afterAll(() => fleet.close())

test('F14, down for long: links are accepted up to a limit, then session creation returns 503', async () => {
  const full = await fleet.tryMint({ tenantId: 'noisy' })
  const other = await fleet.tryMint()
  const readiness = await waitFor('readiness has noticed', async () => {
    const answer = await fetch(`${fleet.url}/readyz`)
    const { parts } = (await answer.json()) as { parts: Record<string, string> }
    return parts.platform !== 'ready' && { status: answer.status, parts }
  })

  expect([full.status, full.body.code]).toEqual([503, 'backlog_full'])
  expect(full.headers.get('retry-after')).toBe('60')
  expect(other.status).toBe(201)
  expect(readiness).toMatchObject({ status: 200, parts: { platform: expect.stringMatching(/^not answering/) } })
  expect(await statesOf('noisy')).toEqual({ escrowed: ceiling })
})

test('F23, a slow platform and a noisy tenant: the quiet tenant is not delayed', async () => {
  fleet.platform.fault = () => ({ delayMs: 2_000 })
  await endWaits()
  await fleet.platformLine.pass()

  // Two requests per link, twenty links at a time: the noisy tenant takes half a minute.
  await waitFor('the quiet tenant is served', async () => (await statesOf('quiet')).linked === 5, { withinMs: 60_000 })

  expect((await statesOf('noisy')).linked ?? 0).toBeLessThan(ceiling)
}, 180_000)

test('F14, all links finish once the platform is healthy, without loss or duplicates', async () => {
  fleet.platform.fault = undefined
  await endWaits()

  await untilQuiet(fleet, 240_000)

  expect(await statesOf('noisy')).toEqual({ linked: ceiling })
  expect(await brokenPromises(fleet)).toEqual([])
}, 400_000)

/** Twenty users at a time. */
async function linkMany(tenant: string, count: number) {
  const users = Array.from({ length: 20 }, async (_, at) => {
    for (let made = at; made < count; made += 20) await linkPatiently(fleet, { mint: { tenantId: tenant } })
  })
  await Promise.all(users)
}

/** Copies a real link, each with its own grant: that many consents would take minutes. */
async function copyLinks(tenant: string, count: number) {
  const { rows } = await fleet.sql.query(
    'select links.*, escrow.sealed from links join escrow on link_id = links.id where tenant = $1 limit 1',
    [tenant],
  )
  const [{ sealed, ...link }] = rows
  const box = sealedBox(readConfig(fleet.env).encryptionKeys)
  const answer = unpackAnswer(box.open(sealed, sealContext.escrow(link)))
  const granted = fleet.provider.issued.find(({ code }) => fleet.codes.get(code) === link.session_id) as IssuedToken
  for (let place = 0; place < count; place++) {
    const unique = (text: string) => `${text.slice(0, -5)}${String(place).padStart(5, '0')}`
    const copy = { ...link, id: unique(link.id), session_id: unique(link.session_id) }
    const names = Object.fromEntries(
      ['connection_id', 'connection_name', 'function_name'].map((name) => [name, unique(link[name])]),
    )
    const [token, code] = [unique(granted.token), unique(granted.code)]
    const bytes = Buffer.from(answer.bytes, 'base64').toString().replace(granted.token, token)
    const own = packAnswer({ ...answer, bytes: Buffer.from(bytes).toString('base64') })
    await fleet.sql.query(copyLink, [
      link.session_id,
      { id: copy.session_id, token_digest: `copy-${place}` },
      { ...copy, ...names },
      box.seal(own, sealContext.escrow(copy)),
    ])
    fleet.provider.issued.push({ ...granted, token, code })
    fleet.codes.set(code, copy.session_id)
  }
}

const copyLink = `
  with session as (
    insert into connect_sessions
    select (jsonb_populate_record(given, $2)).* from connect_sessions as given where id = $1 returning id
  ), link as (
    insert into links select (jsonb_populate_record(given, $3)).* from links as given, session where session_id = $1
    returning id, tenant
  ), kept as (
    insert into escrow (link_id, sealed) select id, $4 from link
  )
  insert into audit (action, actor_kind, tenant, link) select 'link.started', 'worker', tenant, id from link`

/** Makes all links due at once. One statement per link, because a single one could deadlock with the program's batches. */
async function endWaits() {
  const { rows } = await fleet.sql.query("select id from links where state = 'escrowed'")
  const soon = new Date(Date.now() + 2_000)
  const put = "update links set due_at = $2 where id = $1 and state = 'escrowed'"
  for (const { id } of rows) await fleet.sql.query(put, [id, soon])
}

async function statesOf(tenant: string): Promise<Record<string, number>> {
  const { rows } = await fleet.sql.query(
    'select state, count(*)::int as links from links where tenant = $1 group by state',
    [tenant],
  )
  return Object.fromEntries(rows.map(({ state, links }) => [state, links]))
}
