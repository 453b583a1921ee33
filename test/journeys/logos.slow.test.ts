// Every page on which a user decides has the logo of the app.
import { expect, test, vi } from 'vitest'
import { apps, kindsOfPages } from '../support/http/page-gallery.ts'
import { browser, gallery, openGalleryInBrowser } from './gallery-in-browser.ts'
import { openWeighing } from './page-checks.ts'
import { newVisitor } from './watched-browser.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 })

openGalleryInBrowser()

const withLogo = [
  ...['filebox', 'gmail', 'google-drive', 'google-calendar', 'google-sheets', 'google-docs', 'youtube', 'google-ads'],
  ...['google-analytics', 'outlook-mail', 'outlook-calendar', 'outlook-contacts', 'onedrive', 'sharepoint'],
  ...['microsoft-teams', 'excel', 'business-central', 'slack', 'discord', 'zoom', 'github', 'gitlab', 'bitbucket'],
  ...['jira', 'confluence', 'trello', 'linear', 'asana', 'monday', 'clickup', 'notion', 'airtable', 'figma', 'miro'],
  ...['hubspot', 'salesforce', 'zendesk', 'intercom', 'shopify', 'stripe', 'square', 'paypal', 'quickbooks', 'xero'],
  ...['dropbox', 'box', 'calendly', 'mailchimp', 'x', 'linkedin', 'facebook-pages', 'facebook-leads'],
  ...['facebook-login', 'instagram', 'tiktok', 'reddit', 'spotify', 'twitch', 'pinterest', 'snowflake', 'okta'],
  ...['greenhouse', 'gusto', 'amazon', 'auth0', 'canva', 'databricks', 'docusign', 'dynamics-365', 'ebay', 'front'],
  ...['netsuite', 'pipedrive'],
]

/** Neither @iconify-json/logos nor simple-icons has a mark that fits into a square. */
const withMonogram = ['bamboohr', 'klaviyo', 'servicenow', 'workday']

/** The first tile is that of the app. */
const tileOf = `(() => {
  const tile = document.querySelector('.app-icon')
  const picture = tile?.querySelector('img')
  const fill = tile?.querySelector('rect')?.getAttribute('fill')
  return picture ? (picture.naturalWidth > 0 ? 'logo' : 'broken') : (fill ?? 'none')
})()`

const bytesAt = async (path: string) => {
  const answer = await fetch(new URL(path, gallery.url))
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : Buffer.alloc(0)
}

/** The first tile of a connect page as it is sent: its picture, or its color. */
async function tileSent(app: string) {
  const page = (await bytesAt(`/apps/${app}`)).toString()
  const [, src, color] =
    /class="app-icon"[^>]*><(?:img src="([^"]+)"|svg[^>]*><rect[^>]* fill="([^"]+)")/.exec(page) ?? []
  const picture = src === undefined ? undefined : await bytesAt(src)
  return { app, color, picture, bytes: page.length + (picture?.length ?? 0) }
}

test('the connect page of each app has its logo, or a letter on its color', async () => {
  const tiles = await Promise.all([...withLogo, ...withMonogram].map(tileSent))

  const isRight = ({ app, color, picture }: (typeof tiles)[number]) =>
    withMonogram.includes(app) ? /^#[0-9a-f]{6}$/i.test(color ?? '') : picture?.includes('<svg')
  expect([...withLogo, ...withMonogram].filter((id) => !apps.has(id))).toEqual([])
  expect(tiles.filter((tile) => !isRight(tile)).map(({ app }) => app)).toEqual([])
})

test('the heaviest connect page and one without a logo weigh less than 90 kB, and do not move', async () => {
  const page = await newVisitor(browser)
  const weigh = await openWeighing(page)
  const tiles = await Promise.all(withLogo.map(tileSent))
  const heaviest = tiles.reduce((one, other) => (one.bytes < other.bytes ? other : one)).app
  const faults: string[] = []

  for (const app of [heaviest, ...withMonogram.slice(0, 1)]) {
    const bytes = await weigh(`${gallery.url}/apps/${app}`)
    const tile = await page.evaluate<string>(tileOf)
    const shift = await page.evaluate<number>('globalThis.layoutShift.sum')
    const isRight = app === heaviest ? tile === 'logo' : /^#[0-9a-f]{6}$/i.test(tile)
    if (!isRight) faults.push(`${app}: ${tile}`)
    if (bytes >= 90_000 || bytes < 5_000) faults.push(`${app}: ${bytes} bytes`)
    if (shift >= 0.01) faults.push(`${app}: layout shift of ${shift}`)
  }

  expect(faults).toEqual([])
  expect(page.complaints).toEqual([])
  await page.context().close()
})

test('all other pages of a link have it too, with the same weight and without moving', async () => {
  const page = await newVisitor(browser)
  const weigh = await openWeighing(page)
  const faults: string[] = []

  for (const name of Object.keys(kindsOfPages).filter((each) => !pagesWithoutApp.test(each))) {
    const bytes = await weigh(`${gallery.url}/branded/en/${name}`)
    const tile = await page.evaluate<string>(tileOf)
    const shift = await page.evaluate<number>('globalThis.layoutShift.sum')
    if (tile !== 'logo') faults.push(`${name}: ${tile}`)
    if (bytes >= 90_000) faults.push(`${name}: ${bytes} bytes`)
    if (shift >= 0.01) faults.push(`${name}: layout shift of ${shift}`)
  }

  expect(faults).toEqual([])
  await page.context().close()
})

/** Those of no app, and the picker, whose apps are invented. */
const pagesWithoutApp = /^(?:picker|manage-none|manage-ended|redirect|home)/
