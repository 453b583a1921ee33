import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ejs from 'ejs'
import { describe, expect, test } from 'vitest'

const root = new URL('../../', import.meta.url).pathname
const house = schemesOf('tokens.css')
const filebox = schemesOf('demo/filebox.css')
const acme = schemesOf('demo/acme.css')

// Min contrast of WCAG level AA: 4.5 for text (1.4.3), 3 for the outlines of controls (1.4.11).
const pairs: Array<[front: string, back: string, atLeast: number]> = [
  ['ink', 'paper', 4.5],
  ['ink', 'surface', 4.5],
  ['ink-quiet', 'paper', 4.5],
  ['ink-quiet', 'surface', 4.5],
  ['ink-quiet', 'surface-quiet', 4.5],
  ['ink-quiet', 'neutral-soft', 4.5],
  ['accent', 'paper', 4.5],
  ['accent', 'surface', 4.5],
  ['accent-strong', 'accent-soft', 4.5],
  ['on-accent', 'accent', 4.5],
  ['on-accent', 'accent-strong', 4.5],
  ['good', 'good-soft', 4.5],
  ['wait', 'wait-soft', 4.5],
  ['bad', 'bad-soft', 4.5],
  ['bad', 'surface', 4.5],
  ['info', 'info-soft', 4.5],
  ['line-control', 'surface', 3],
  ['line-control', 'paper', 3],
]

// A brand's tokens override those of the house.
describe.each([
  ['our light scheme', house.light],
  ['our dark scheme', house.dark],
  ["Filebox's light scheme", filebox.light + house.light],
  ["Filebox's dark scheme", filebox.dark + house.dark],
  ["Acme's light scheme", acme.light + house.light],
  ["Acme's dark scheme", acme.dark + house.dark],
])('in %s', (_scheme, text) => {
  test.each(pairs)('%s on %s has enough contrast', (front, back, atLeast) => {
    const contrast = contrastOf(colour(text, front), colour(text, back))

    expect(contrast).toBeGreaterThanOrEqual(atLeast)
  })
})

test('no template has an inline style or script, which the content policy would block', () => {
  const inline = templates().filter(({ text }) => /\sstyle=|\son[a-z]+=|<style|<script(?![^>]*\ssrc=)/i.test(text))

  expect(inline.map(({ path }) => path)).toEqual([])
})

test.each(['narrow', 'wide'])('the style guide renders in the %s shell', async (shell) => {
  const page = await ejs.renderFile(join(root, 'views/demo/style-guide.ejs'), { shell })

  expect(page).toContain(`class="shell-${shell}"`)
  expect(page).toContain('</html>')
})

function schemesOf(sheet: string): { light: string; dark: string } {
  const text = readFileSync(join(root, 'public', sheet), 'utf8')
  const [light = '', dark = ''] = text.split('@media (prefers-color-scheme: dark)')
  return { light, dark }
}

function templates() {
  const paths = readdirSync(join(root, 'views'), { recursive: true, encoding: 'utf8' })
  return paths
    .filter((path) => path.endsWith('.ejs'))
    .map((path) => ({ path, text: readFileSync(join(root, 'views', path), 'utf8') }))
}

function colour(text: string, name: string): string {
  const found = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(text)
  if (!found?.[1]) throw new Error(`no token --${name}`)
  return found[1]
}

function contrastOf(front: string, back: string): number {
  const [lighter = 0, darker = 0] = [luminance(front), luminance(back)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const linear = (share: number) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)
