// Other people at the page of a repair, with the official client and a browser. repair-gaps.slow.test.ts has the repairs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { platformUser } from '../../src/demo/first-data.ts'
import { button, heading, linkFilebox } from './filebox-visit.ts'
import { accessToken, connectedClient } from './mcp-client.ts'
import { type Called, linkFirst, type RepairVisit, reconnect, repairVisit } from './repair-visit.ts'
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
