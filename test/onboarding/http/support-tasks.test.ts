// What was begun with a connection stays on its page until something else is, and says what became of it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../support/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts'
import { HttpBrowser } from '../../support/http-browser.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  // Like Google: revoking one token ends the whole consent, so the grant before a re-link is kept for a day.
  world = await startConsoleWorld({ integration: { health: { tool: 'list_files' }, revocationReach: 'grant' } })
  agent = await world.signIn(people.agent)
})

afterAll(() => world.close())

async function linked(): Promise<{ id: string; name: string }> {
  const minted = await world.mint()
  return (await world.complete(minted, (await world.consent(minted)).query)).body.connection
}

async function linkedAgain() {
  const connection = await linked()
  const body = { reason: 'for the test' }
  const session = await world.api('POST', `/connections/${connection.id}/relink-sessions`, body)
  const user = new HttpBrowser()
  await user.follow(await user.post(session.body.url))
  return connection
}

/** The part of the page that says what happened, once the task has ended. */
async function whatHappened(id: string, words: string) {
  const read = async () =>
    /<h2 id="links">.*?<\/section>/s.exec((await world.open(agent, `/connections/${id}`)).text)?.[0]
  await expect.poll(read, { timeout: 20_000 }).toContain(words)
  return (await read()) ?? ''
}

test('a roll back that came off says so on the page of the connection', async () => {
  const { id } = await linkedAgain()

  await world.send(agent, `/connections/${id}/roll-back`, { reason: 'ticket 5' })

  const text = await whatHappened(id, 'Went back to the grant before')
  expect(text).toMatch(/data-status="linked">Done<.*ticket 5/s)
})

test('a roll back that failed stays there with its reason and why', async () => {
  const { id } = await linkedAgain()
  for (const grant of world.provider.issued) grant.revoked = true

  await world.send(agent, `/connections/${id}/roll-back`, { reason: 'ticket 6' })

  const text = await whatHappened(id, 'Could not go back to the grant before')
  expect(text).toMatch(/data-status="failed">Failed<.*: Access was withdrawn.*ticket 6/s)
})

test('a disconnect says whether the grant was revoked', async () => {
  const { id, name } = await linked()
  // The others live off the same consent, which revoking would end.
  await world.sql.query("update connections set status = 'disconnected' where id <> $1", [id])

  await world.send(agent, `/connections/${id}/disconnect`, { reason: 'ticket 7', confirm: name })

  expect(await whatHappened(id, 'Disconnected</strong>')).toContain('the grant was revoked at the app')
})
