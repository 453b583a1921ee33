// Checks beyond axe: 200 % zoom, keyboard, forced colors, reduced motion and the accessibility tree.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { lazy } from '../../src/kit/cache/lazy.ts'
import { kindsOfPages } from '../support/http/page-gallery.ts'
import { accessibleNodesOf, focusStopsOf, hiddenTextOn, smallTargetsOn } from './access-checks.ts'
import { browser, gallery, openGalleryInBrowser } from './gallery-in-browser.ts'
import { desktop, newVisitor, overhangOf } from './watched-browser.ts'

openGalleryInBrowser()

const kinds = Object.keys(kindsOfPages)

const sticksOut = async (page: Page) => ((await overhangOf(page)) > 0 ? ['wider than the window'] : [])

test.each(['de', 'ar-XB'])('%s: no overflow or cut-off text at 200 %', async (locale) => {
  const page = await newVisitor(browser, { viewport: { width: 640, height: 430 }, deviceScaleFactor: 2 })
  const faults: string[] = []

  for (const name of kinds) {
    await page.goto(`${gallery.url}/branded/${locale}/${name}`)
    const found = [...(await sticksOut(page)), ...(await hiddenTextOn(page))]
    faults.push(...found.map((fault) => `${name}: ${fault}`))
  }

  expect(faults).toEqual([])
  await page.context().close()
})

const signs = [
  ['.notice', '::before'],
  ['.outcome:not(:has(.handshake))', '::before'],
  ['.outcome .handshake .span', '::before'],
  ['.permissions li', '::after'],
  ['.steps [data-state=done]', '::before'],
]

/** By promise. The order matters: later looks change the page. */
const looks: Record<string, (page: Page) => Promise<string[]>> = {
  'reduced motion disables animations': (page) =>
    page.evaluate<string[]>(`document.getAnimations().filter(({ playState }) => playState === 'running')
      .map(({ animationName, transitionProperty }) => 'runs: ' + (animationName ?? transitionProperty))`),

  'the accessibility tree has one title, the landmarks, and a name for each control': async (page) => {
    const nodes = await accessibleNodesOf(page)
    const count = (role: string) => nodes.filter((node) => node.role === role).length
    const usable = nodes.filter(({ role }) => ['link', 'button', 'textbox', 'searchbox'].includes(role))
    const levels = nodes.filter(({ role }) => role === 'heading').map(({ level }) => level ?? 0)
    return [
      ...['main', 'banner', 'contentinfo'].filter((role) => count(role) !== 1).map((role) => `not one ${role}`),
      ...usable.filter(({ name }) => name.trim() === '').map(({ role }) => `a ${role} without a name`),
      ...(levels.filter((level) => level === 1).length === 1 ? [] : ['not one title']),
      ...levels.flatMap((level, at) => (level > (levels[at - 1] ?? 0) + 1 ? [`a heading of level ${level}`] : [])),
    ]
  },

  'navigation uses links, not buttons': (page) =>
    page.locator('a[role=button]').evaluateAll((found) => found.map(({ outerHTML }) => outerHTML)),

  'icons stay visible in forced colors': async (page) => {
    await page.emulateMedia({ forcedColors: 'active' })
    const gone = await page.evaluate<string[]>(`(() => {
      const paper = getComputedStyle(document.documentElement).backgroundColor
      return ${JSON.stringify(signs)}.flatMap(([selector, part]) =>
        [...document.querySelectorAll(selector)]
          .map((element) => getComputedStyle(element, part).backgroundColor)
          .filter((colour) => colour === paper || colour === 'rgba(0, 0, 0, 0)')
          .map(() => 'gone: ' + selector))
    })()`)
    await page.emulateMedia({ forcedColors: 'none' })
    return gone
  },

  'Tab reaches all controls in reading order, with visible focus': async (page) => {
    const { expected, reached } = await focusStopsOf(page)
    const unseen = reached.filter(({ outline }) => outline < 2).map(({ what }) => `no outline: ${what}`)
    const order = reached.map(({ what }) => what).join('\n') === expected.join('\n') ? [] : ['another order']
    const [first] = reached
    return [...unseen, ...order, ...(first?.href === '#main' ? [] : [`begins with ${first?.what}`])]
  },

  'targets outside sentences are at least 24 by 24 pixels': async (page) => {
    await page.setViewportSize({ width: 320, height: 640 })
    return smallTargetsOn(page)
  },

  'text at 200 % with the spacing of WCAG 1.4.12 fits a phone': async (page) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.evaluate(`
      document.documentElement.style.fontSize = '200%'
      for (const each of document.body.querySelectorAll('*'))
        Object.assign(each.style, { letterSpacing: '0.12em', wordSpacing: '0.16em', lineHeight: '1.5' })`)
    return [...(await sticksOut(page)), ...(await hiddenTextOn(page))]
  },
}

/** The findings of each look on all kinds of pages. Each page is opened once, because that takes longer than the looks. */
const found = lazy(async () => {
  const page = await newVisitor(browser, { reducedMotion: 'reduce' })
  const faults = new Map(Object.keys(looks).map((promise) => [promise, [] as string[]]))
  for (const name of kinds) {
    await page.setViewportSize(desktop)
    await page.goto(`${gallery.url}/branded/en/${name}`)
    for (const [promise, look] of Object.entries(looks)) {
      faults.get(promise)?.push(...(await look(page)).map((fault) => `${name}: ${fault}`))
    }
  }
  await page.context().close()
  return faults
})

test.each(Object.keys(looks))('%s', async (promise) => {
  expect((await found()).get(promise)).toEqual([])
})

test('the skip link is visible when focused, and leads to the content', async () => {
  const page = await newVisitor(browser)
  await page.goto(`${gallery.url}/branded/en/connect`)

  await page.keyboard.press('Tab')
  const box = await page.locator('.skip').boundingBox()
  await page.keyboard.press('Enter')

  expect(box?.y).toBeGreaterThanOrEqual(0)
  expect(new URL(page.url()).hash).toBe('#main')
  await page.context().close()
})

test('a screen reader announces only the changed steps while a link is set up', async () => {
  const page = await newVisitor(browser)
  const further = await (await fetch(`${gallery.url}/en/waiting-further`)).text()
  await page.route('**/links/lnk_1?live', (route) => route.fulfill({ contentType: 'text/html', body: further }))
  await page.goto(`${gallery.url}/en/waiting`)
  await page.evaluate(`
    globalThis.heard = new Set()
    for (const step of document.querySelectorAll('.steps li')) new MutationObserver(() => heard.add(step))
      .observe(step, { childList: true, subtree: true, characterData: true })`)

  await page.locator('.steps li:nth-child(4)[data-state=done]').waitFor()

  const heard = await page.evaluate<string[]>('[...heard].map(({ textContent }) => textContent.trim())')
  expect(heard.map((text) => text.replace(/\s+/g, ' ')).sort()).toEqual([
    'Testing the connection (in progress)',
    'Tools set up (done)',
  ])
  expect(await page.locator('#progress').getAttribute('aria-live')).toBe('polite')
  await page.context().close()
})
