// The picker with every app of the catalogue: search as one types, and a page that is short enough to read.
import { expect, test, vi } from 'vitest'
import { browser, gallery, openGalleryInBrowser } from './gallery-in-browser.ts'
import { barriersInBothSchemes, lookFaultsOn } from './page-checks.ts'
import { newVisitor } from './watched-browser.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

openGalleryInBrowser()

const open = async (options: Parameters<typeof newVisitor>[1] = {}) => {
  const page = await newVisitor(browser, options)
  await page.goto(`${gallery.url}/en/picker-full`)
  return { page, firstApp: page.locator('.choice strong').first(), field: page.getByLabel('Search apps') }
}

test('finds a misspelled app while the user types, announces it, and needs no mouse', async () => {
  const { page, firstApp, field } = await open()
  await page.evaluate('globalThis.isSamePage = true')

  await field.pressSequentially('gogle calender')
  await page.getByRole('status').getByText('app found').waitFor()

  expect(await firstApp.textContent()).toBe('Google Calendar')
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
  expect(new URL(page.url()).search).toBe('?q=gogle+calender')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.href')).toMatch(/app=google-calendar$/)
  expect(await barriersInBothSchemes(page)).toEqual([])
  expect(page.complaints).toEqual([])
})

test('an emptied field shows all apps again', async () => {
  const { page, firstApp, field } = await open()

  await field.fill('xqzt')
  await page.getByText('No app found').waitFor()
  await field.fill('')
  await page.getByRole('heading', { name: 'Popular apps' }).waitFor()

  expect(await firstApp.textContent()).toBe('Gmail')
})

test('works without JavaScript', async () => {
  const { page, firstApp, field } = await open({ javaScriptEnabled: false })

  await field.fill('gogle calender')
  await page.getByRole('button', { name: 'Search' }).click()

  expect(await firstApp.textContent()).toBe('Google Calendar')
  expect(await page.getByRole('status').textContent()).toContain('app found')
})

test.each([
  { width: 1280, height: 720 },
  { width: 375, height: 667 },
])('fits 2,000 px at a width of $width px', async (viewport) => {
  const { page } = await open({ viewport })

  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(2_000)
  expect(await lookFaultsOn(page)).toEqual([])
  expect(await barriersInBothSchemes(page)).toEqual([])
})
