// The system's Chromium. Collects errors of pages and takes pictures.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

const pictures = fileURLToPath(new URL('../../.data/screenshots/', import.meta.url))

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath:
      process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium-headless-shell'].find(existsSync) ?? '/usr/bin/chromium',
    timeout: 120_000, // Playwright's default of 30 s is short on a busy machine
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // One renderer process for all pages: one per site doubles the work.
      '--disable-site-isolation-trials',
      '--renderer-process-limit=1',
      '--in-process-gpu',
      '--disable-extensions',
    ],
  })

export type WatchedPage = Page & { complaints: string[] }

/** A visitor with separate cookies. `complaints` holds console errors, CSP reports and uncaught errors. */
export async function newVisitor(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: desktop, ...options })
  context.setDefaultTimeout(45_000)
  await context.addInitScript(countShifts)
  const page = Object.assign(await context.newPage(), { complaints: [] as string[] })
  page.on('pageerror', (error) => page.complaints.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    const isPolicy = /content security policy/i.test(text)
    if (message.type() === 'error' || isPolicy) page.complaints.push(`${message.type()}: ${text} at ${page.url()}`)
  })
  return page
}

export const desktop = { width: 1280, height: 860 }
const phone = { width: 390, height: 844 }

const looks = [
  { size: 'desktop', viewport: desktop, colorScheme: 'light' },
  { size: 'phone', viewport: phone, colorScheme: 'dark' },
] as const

/** Checks for overflow and layout shift. With TEST_PICTURES, in both sizes and with pictures, which takes longer. */
export async function takePictures(page: Page, name: string): Promise<void> {
  await expectNothingMoved(page, name)
  for (const { size, viewport, colorScheme } of process.env.TEST_PICTURES ? looks : looks.slice(0, 1)) {
    if (process.env.TEST_PICTURES) await page.setViewportSize(viewport)
    expect(await overhangOf(page), `${name} on a ${size}: wider than the window`).toBeLessThanOrEqual(0)
    if (process.env.TEST_PICTURES) await takePicture(page, `${name}-${size}-${colorScheme}`, colorScheme)
  }
  if (process.env.TEST_PICTURES) await page.setViewportSize(desktop)
}

/** Horizontal overflow of the page in pixels. */
export const overhangOf = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

async function takePicture(page: Page, name: string, colorScheme: 'light' | 'dark') {
  mkdirSync(pictures, { recursive: true })
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }) // no transition between the colors
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  await page.emulateMedia({ colorScheme: 'light' })
}

export async function expectNothingMoved(page: Page, name: string): Promise<void> {
  const shifted = await page.evaluate<{ sum: number; moved: string[] } | undefined>('globalThis.layoutShift')
  expect(shifted?.sum ?? 0, `${name}: layout shift of ${shifted?.moved.join(', ')}`).toBeLessThan(0.01)
}

const countShifts = `
  globalThis.layoutShift = { sum: 0, moved: [] }
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      layoutShift.sum += value
      for (const { node } of sources) layoutShift.moved.push((node?.outerHTML ?? '?').slice(0, 80))
    }
  }).observe({ type: 'layout-shift', buffered: true })`
