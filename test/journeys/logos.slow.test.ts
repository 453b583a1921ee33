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

test('the connect page has the logo of the app, weighs less than 90 kB, and does not move', async () => {
  const page = await newVisitor(browser)
  const weigh = await openWeighing(page)
  const faults: string[] = []

  expect([...withLogo, ...withMonogram].filter((id) => !apps.has(id))).toEqual([])
  for (const app of [...withLogo, ...withMonogram]) {
    const bytes = await weigh(`${gallery.url}/apps/${app}`)
    const tile = await page.evaluate<string>(tileOf)
    const shift = await page.evaluate<number>('globalThis.layoutShift.sum')
    const isRight = withMonogram.includes(app) ? /^#[0-9a-f]{6}$/i.test(tile) : tile === 'logo'
    if (!isRight) faults.push(`${app}: ${tile}`)
    if (bytes >= 90_000 || bytes < 5_000) faults.push(`${app}: ${bytes} bytes`)
    if (shift > 0) faults.push(`${app}: layout shift of ${shift}`)
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
    if (shift > 0) faults.push(`${name}: layout shift of ${shift}`)
  }

  expect(faults).toEqual([])
  await page.context().close()
})

/** Those of no app, and the picker, whose apps are invented. */
const pagesWithoutApp = /^(?:picker|manage-none|manage-ended|redirect|home)/
