import { expect, onTestFinished, test } from 'vitest'
import { answered, type Begun, beginLink, finishLink } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { startKillablePostgres } from '../support/processes/killable-stores.ts'
import { type Fleet, startFleet, untilLink } from '../support/processes/onboarding-process.ts'

const users = 5

test('F22, a backup is restored: its links work, no code is sent again, and users whose links it lacks connect again', async () => {
  const postgres = await startKillablePostgres()
  const fleet = await startFleet({ postgres, env: { VERIFY_FUNCTIONS: 'false' } })
  onTestFinished(() => fleet.close())
  await fleet.start()
  await fleet.putTenant('acme')
  const before = await linkAll(fleet)
  const halfway = await beginLink(fleet)
  await postgres.kill()
  await postgres.backUp()
  await postgres.start()
  await untilLinked(fleet, halfway)
  await linkAll(fleet)
  const atProvider = await beginLink(fleet)

  await postgres.kill()
  await postgres.restore()
  await postgres.start()

  await answered('reloaded', () => finishLink(fleet, halfway))
  const unknown = await answered('returned', () => atProvider.browser.get(atProvider.callback))
  const after = await linkAll(fleet)
  await fleet.sql.query('update links set due_at = now() where due_at is not null')
  // Its connection is found on the platform.
  await untilLink(fleet, halfway.minted, ['linked'])
  await untilQuiet(fleet)

  expect(unknown.status).toBe(410)
  const states = await Promise.all([...before, ...after].map(async ({ minted }) => (await fleet.linkOf(minted))?.state))
  expect(states).toEqual(Array(2 * users).fill('linked'))
  // Their connections stay on the platform, which the product does not know any more.
  expect(await brokenPromises(fleet)).toEqual(Array(users).fill('a refresh token was issued to no link at all'))
}, 300_000)

async function linkAll(fleet: Fleet) {
  const begun = await Promise.all(Array.from({ length: users }, () => beginLink(fleet)))
  for (const each of begun) await untilLinked(fleet, each)
  return begun
}

const untilLinked = (fleet: Fleet, begun: Begun) =>
  waitFor('linked', async () => (await finishLink(fleet, begun).catch(() => undefined))?.body.status === 'linked')
