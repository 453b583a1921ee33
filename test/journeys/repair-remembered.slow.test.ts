// An end user whose login has ended repairs an account in a browser that remembers them, until they are forgotten.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../support/oracles/wait-for.ts'
import { button, heading } from './filebox-visit.ts'
import { connectedClient } from './mcp-client.ts'
import { type Called, isConnected, linkFirst, type RepairVisit, reconnect, repairVisit } from './repair-visit.ts'
import { newVisitor, takePictures, type WatchedPage } from './watched-browser.ts'

let visit: RepairVisit
beforeAll(async () => {
  visit = await repairVisit()
}, 240_000)
afterAll(() => visit?.close())

/** The login at the function and the session at the identity, which end after 15 minutes. */
async function endLogin(page: WatchedPage) {
  const kept = (await page.context().cookies()).filter(({ name }) => name === 'function-user')
  for (const name of ['function-login', 'platform_session']) await page.context().clearCookies({ name })
  return kept
}

async function failedCall(mcpUrl: string, token: string): Promise<string> {
  const client = await connectedClient(mcpUrl, token, { mode: 'auto' })
  const failed = (await client.callTool({ name: 'list_files', arguments: {} })) as Called
  await client.close()
  return failed._meta?.repairUrl ?? ''
}

test('T34, T35: a remembered person repairs, but links no first account; a copy of the cookie ends with their data', async () => {
  const { person, mcpUrl, token } = await visit.unlinkedFunction('is-remembered')
  const ofAnother = await visit.unlinkedFunction('is-another')
  const elsewhere = await failedCall(ofAnother.mcpUrl, ofAnother.token)
  const first = await failedCall(mcpUrl, token)
  const before = await person.context().storageState()
  await endLogin(person)
  await person.goto(first)
  await heading(person, 'Tell us who you are').waitFor()
  await person.context().addCookies(before.cookies)
  await linkFirst(person, first)
  await isConnected(person)
  await visit.removeAccess(person)
  const url = await failedCall(mcpUrl, token)
  const [cookie] = await endLogin(person)
  const thief = await newVisitor(visit.browser)
  await thief.context().addCookies(cookie ? [cookie] : [])

  await thief.goto(url)
  await heading(thief, 'Reconnect Filebox to Acme').waitFor()
  await reconnect(person, url)
  await thief.goto(elsewhere)
  await heading(thief, 'This link is for someone else').waitFor()
  const asked = { tenantId: 'acme', endUser: { id: 'is-remembered' } }
  const { data: erasure } = await visit.api('/erasures', asked)
  await waitFor('the person is erased', async () => (await visit.api(`/erasures/${erasure.id}`)).data.status === 'done')
  await thief.goto(elsewhere)
  await heading(thief, 'Tell us who you are').waitFor()

  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
}, 180_000)

test('T34: a browser that remembers somebody else, or whose person signed out, leads nowhere', async () => {
  const own = await visit.unlinkedFunction('is-caller')
  await linkFirst(own.person, await failedCall(own.mcpUrl, own.token))
  await isConnected(own.person)
  const { person: other } = await visit.unlinkedFunction('is-other')
  await visit.removeAccess(own.person)
  const url = await failedCall(own.mcpUrl, own.token)
  await endLogin(own.person)
  await endLogin(other)

  const forwarded = await other.goto(url)
  await heading(other, 'This link is for someone else').waitFor()
  await takePictures(other, 'repair-remembered-other')
  await button(other, 'Sign out').click()
  await heading(other, 'You’re signed out').waitFor()
  await other.goto(url)
  await heading(other, 'Tell us who you are').waitFor()
  const left = (await other.context().cookies()).filter(({ name }) => /^function-/.test(name))
  await reconnect(own.person, url)

  expect([forwarded?.status(), left]).toEqual([403, []])
  expect([...own.person.complaints, ...other.complaints].filter((each) => !each.includes('403'))).toEqual([])
}, 180_000)
