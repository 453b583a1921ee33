import { beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import { signedText } from '../../../../src/onboarding/domain/linking/return-url.ts'
import { returnBrowser } from '../../../../src/onboarding/linking/flows/return-browser.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { returnUrl } from '../../../support/memory/builders.ts'
import { byBrowser, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const outcomeOf = async (link: Link) =>
  Object.fromEntries(new URL(await returnBrowser(world, world.settings, link, byBrowser)).searchParams) as Record<
    string,
    string
  >

test('a link without a return URL ends on our own page', async () => {
  const link = await world.addLink({ returnUrl: undefined })

  expect(await returnBrowser(world, world.settings, link, byBrowser)).toBe(`/links/${link.id}`)
})

test('the return URL contains the outcome, signed with the current secret', async () => {
  const link = await world.move(await world.addLink(), 'denied', { cause: 'consent_denied' })

  const { sig, ts, ...outcome } = await outcomeOf(link)

  expect(outcome).toEqual({
    connect_session_id: link.sessionId,
    link_id: link.id,
    status: 'denied',
    cause_code: 'consent_denied',
  })
  expect(Number(ts)).toBe(world.now().getTime() / 1_000)
  const signing = await world.tenants.signingSecret('acme')
  expect(sig).toBe(world.tokens.sign(signedText(outcome as never, Number(ts)), signing))
})

test('a scheduled secret signs from its start time', async () => {
  const link = await world.addLink()
  const next = new Secret('next')
  await world.tenants.rotateSigningSecret('acme', next, 60, auditEntry('tenant.signing_secret_rotated'))
  world.clock.pass(61)

  const { sig, ts, ...outcome } = await outcomeOf(link)

  expect(sig).toBe(world.tokens.sign(signedText(outcome as never, Number(ts)), next))
})

test('a waiting code adds the completion code, the same at every reload', async () => {
  const link = await world.move(await world.addLink(), 'code_waiting', { waitingCode: { sealed: 'code' } })

  const [first, second] = [await outcomeOf(link), await outcomeOf(link)]

  expect(first).toMatchObject({ status: 'authorized', completion_code: world.tokens.completionCode(link.id) })
  expect(second?.completion_code).toBe(first?.completion_code)
})

test('a running link is pending without a cause', async () => {
  const link = await world.escrow(await world.addLink())

  expect(await outcomeOf({ ...link, cause: 'platform_unavailable' })).not.toHaveProperty('cause_code')
})

test('does not redirect to an unregistered URL, and audits it', async () => {
  const link = await world.addLink()
  await world.addTenant('acme', { returnUrls: [`${returnUrl}/elsewhere`] })

  await expect(returnBrowser(world, world.settings, link, byBrowser)).rejects.toMatchObject({ code: 'connect_ended' })
  expect(world.actions()).toContain('return_url.rejected')
})
