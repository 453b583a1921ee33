// The console's page of a vendor's tools: what waits is shown as it was and as it is, and who may approve it does so once.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { lastWords, pendingHash } from '../../../support/doubles/pinned-tools.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let agent: HttpBrowser
let page: string

beforeAll(async () => {
  world = await startConsoleWorld()
  agent = await world.signIn(people.agent)
})

afterAll(() => world.close())

beforeEach(async () => {
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  page = `/connections/${body.connection.id}/tools`
})

const approve = (by: HttpBrowser, fields: Record<string, string>) => world.send(by, `${page}/approve`, fields)
const approvals = async (reason: string) =>
  (
    await world.sql.query(`select actor_name from audit where action = 'connection.tools_approved' and reason = $1`, [
      reason,
    ])
  ).rows

test("an outdated tool list can't be approved, and viewers can't approve", async () => {
  const viewer = await world.signIn(people.viewer)

  const outdated = await approve(agent, { hash: 'c'.repeat(64), reason: 'ticket 2' })
  const refused = await approve(viewer, { hash: pendingHash, reason: 'ticket 2' })
  const seen = await world.open(viewer, page)

  expect([outdated.status, refused.status]).toEqual([409, 403])
  expect(seen.text).toContain('Waiting for approval')
  expect(seen.text).not.toContain('Approve the change')
  expect(await approvals('ticket 2')).toEqual([])
})

test('Z5: pending changes are shown without truncation', async () => {
  const { text } = await world.open(agent, page)

  expect(text.split(lastWords.tool)).toHaveLength(2)
  expect(text.split(lastWords.instructions)).toHaveLength(2)
})

test('pending tools are shown next to the approved ones, and approval needs a reason', async () => {
  const shown = await world.open(agent, page)
  const unsaid = await approve(agent, { hash: pendingHash, reason: '' })
  const approved = await agent.follow(await approve(agent, { hash: pendingHash, reason: 'ticket 1' }))

  expect(shown.text).toMatch(/Waiting for approval[\s\S]*New<\/span> write[\s\S]*Visible to agents[\s\S]*read/)
  expect(shown.text).toContain(`value="${pendingHash}"`)
  expect(unsaid.status).toBe(422)
  expect(approved.text).not.toContain('Waiting for approval')
  expect(approved.text).toMatch(/Visible to agents[\s\S]*<strong>write<\/strong>/)
  expect(await approvals('ticket 1')).toEqual([{ actor_name: people.agent.email }])
})
