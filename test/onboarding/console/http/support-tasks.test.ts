import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  // Like Google: revoking one token ends the whole consent, so the grant before a re-link is kept for a day.
  world = await startConsoleWorld({ integration: { health: { tool: 'list_files' }, revocation: { reach: 'grant' } } })
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
    /<h2 id="history">.*?<\/section>/s.exec((await world.open(agent, `/connections/${id}`)).text)?.[0]
  await expect.poll(read, { timeout: 20_000 }).toContain(words)
  return (await read()) ?? ''
}

test('a successful rollback is shown on the page of the connection', async () => {
  const { id } = await linkedAgain()

  await world.send(agent, `/connections/${id}/rollback`, { reason: 'ticket 5' })

  const text = await whatHappened(id, 'Rolled back</strong>')
  expect(text).toMatch(/Rolled back<\/strong>.*ticket 5/s)
})

test('a failed rollback is shown with its reason and cause', async () => {
  const { id } = await linkedAgain()
  for (const grant of world.provider.issued) grant.revoked = true

  await world.send(agent, `/connections/${id}/rollback`, { reason: 'ticket 6' })

  const text = await whatHappened(id, 'Rollback failed')
  expect(text).toMatch(/Rollback failed<\/strong>: Access was revoked.*ticket 6/s)
})

test('a finished disconnect states whether the grant was revoked', async () => {
  const { id, name } = await linked()
  // The others live off the same consent, which revoking would end.
  await world.sql.query("update connections set status = 'disconnected' where id <> $1", [id])

  await world.send(agent, `/connections/${id}/disconnect`, { reason: 'ticket 7', confirm: name })

  expect(await whatHappened(id, 'Disconnected</strong>')).toContain('access was revoked at the app')
})

test('the newest task is shown, whatever the time in its ID', async () => {
  const { id } = await linkedAgain()
  await world.sql.query(
    `insert into connection_tasks (id, connection_id, kind, step, reason, actor, created_at)
     values ('tsk_1', $1, 'rollback', 'testing', 'the later one', '{"kind":"support"}', now()),
       ('tsk_2', $1, 'disconnect', 'done', 'the earlier one', '{"kind":"support"}', now() - interval '1 hour')`,
    [id],
  )

  const text = await page(id)

  expect(text).toContain('Rolling back</strong>')
})

const page = async (id: string) => (await world.open(agent, `/connections/${id}`)).text

test.each([
  ['the app replaces tokens as they are used', 'set rotates = true', 'rotates refresh tokens'],
  ['the client has changed', "set client_id = 'other'", 'belongs to a different OAuth client'],
  ['the grant was not stored', 'set sealed = null', 'none was stored'],
])('offers no rollback that would be rejected, and explains why: %s', async (_, change, words) => {
  const { id } = await linkedAgain()
  const possible = await page(id)
  await world.sql.query(`update stored_grants ${change} where connection_id = $1 and slot = 'previous'`, [id])

  const text = await page(id)
  const refused = await world.send(agent, `/connections/${id}/rollback`, { reason: 'all the same' })

  expect(possible).toContain('/rollback"')
  expect(text).not.toContain('/rollback"')
  expect(text).toContain(words)
  expect(refused.text).toContain(words)
})

test('the page states that older links and checks are omitted', async () => {
  const { id } = await linked()
  const few = await page(id)
  await world.sql.query(
    `insert into health_checks (connection_id, outcome, duration_ms, actor_kind)
     select $1, 'healthy', 1, 'worker' from generate_series(1, 12)`,
    [id],
  )
  await world.sql.query(
    `with copies as (
       insert into connect_sessions (id, token_digest, tenant, integration, end_user, expires_at)
       select 'ses_copy' || n, 'copy' || n, 'acme', 'provider', '{"id":"u"}', now() from generate_series(1, 21) n
       returning id
     )
     insert into links (id, session_id, tenant, workspace, integration, end_user, browser, state, connection_id,
       connection_name, function_name)
     select 'lnk_' || id, id, 'acme', 'acme', 'provider', '{"id":"u"}', '', 'denied', $1, 'c', 'f' from copies`,
    [id],
  )

  const many = await page(id)

  expect(few).not.toContain('Older checks and attempts aren’t shown')
  expect(many).toContain('Older checks and attempts aren’t shown')
})
