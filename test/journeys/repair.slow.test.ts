// Other people at the page of a repair, and people whom a browser remembers after their login has ended, with the
// official client and a browser. repair-gaps.slow.test.ts has the repairs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { platformUser } from '../../src/demo/first-data.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { button, heading, linkFilebox } from './filebox-visit.ts'
import { accessToken, connectedClient } from './mcp-client.ts'
import { type Called, isConnected, linkFirst, type RepairVisit, reconnect, repairVisit } from './repair-visit.ts'
import { newVisitor, takePictures, type WatchedPage } from './watched-browser.ts'

let visit: RepairVisit
let page: WatchedPage
let mcpUrl: string
let token: string

beforeAll(async () => {
  visit = await repairVisit()
  page = await newVisitor(visit.browser)
  await linkFilebox(page, visit.demo.places, 'first')
  mcpUrl = await page.locator('.address').innerText()
  await signInAtFunction()
  token = await accessToken(mcpUrl, page, visit.listener)
}, 240_000)
afterAll(() => visit?.close())

async function signInAtFunction() {
  await page.goto(`${visit.demo.places.portal}/integrations`)
  await page.getByRole('link', { name: /first@filebox/ }).click()
  await button(page, 'Open in an MCP client').click()
  await button(page, 'Continue').click()
  await page.getByText('You’re signed in').waitFor()
}

describe('a function that was created before its account was linked', () => {
  test('T20: another person who gets the page of the link cannot link their own account', async () => {
    const { person, id, mcpUrl, token } = await visit.unlinkedFunction('attacker')
    const client = await connectedClient(mcpUrl, token, { mode: 'auto' })
    const url = ((await client.callTool(listFiles)) as Called)._meta?.repairUrl ?? ''
    await person.goto(url)
    await heading(person, 'Connect Filebox to Acme').waitFor()
    const victim = await newVisitor(visit.browser)

    await linkFirst(victim, person.url())
    await heading(victim, 'Tell us who you are').waitFor()
    const code = new URL(victim.url()).searchParams.get('completion_code')
    const again = (await client.callTool(listFiles)) as Called
    await client.close()

    expect(code).not.toBeNull()
    expect(again._meta?.repairUrl).toBe(url)
    expect((await visit.api(`/connections/${id}`)).data.status).toBe('not_linked')
  }, 120_000)
})

const listFiles = { name: 'list_files', arguments: {} }

test('a forwarded URL leads another browser to the product, and another person nowhere', async () => {
  await visit.removeAccess(page)
  const client = await connectedClient(mcpUrl, token, { mode: 'auto' })
  const url = ((await client.callTool(listFiles)) as Called)._meta?.repairUrl ?? ''
  const stranger = await newVisitor(visit.browser)
  const before = await relinks()

  await stranger.goto(url)
  await heading(stranger, 'Tell us who you are').waitFor()
  await takePictures(stranger, 'repair-nobody')
  await stranger.getByRole('link', { name: 'Continue in the product' }).click()
  await heading(stranger, 'Reconnect Filebox to Acme').waitFor()
  await takePictures(stranger, 'repair-product')
  const offered = await button(stranger, 'Continue to Filebox').count()
  await signInAsMember(stranger)
  const refused = await stranger.goto(url)
  await heading(stranger, 'This link is for someone else').waitFor()
  await takePictures(stranger, 'repair-other')
  const after = await relinks()
  await reconnect(page, url)
  await page.goto(url)
  await heading(page, 'Filebox works').waitFor()
  await client.close()

  expect([offered, refused?.status()]).toEqual([0, 403])
  expect(after - before).toBe(0)
}, 120_000)

async function relinks(): Promise<number> {
  return (await visit.api('/audit?action=relink.minted')).data.data.length
}

async function signInAsMember(stranger: WatchedPage) {
  await stranger.goto(`${visit.demo.places.platform}/keys`)
  await stranger.getByLabel('Email address').fill(platformUser.email)
  await stranger.getByLabel('Password').fill(platformUser.password)
  await button(stranger, 'Sign in').click()
  await stranger.waitForURL(/\/keys$/)
}

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
