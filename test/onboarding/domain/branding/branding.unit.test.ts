import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accentColors, contrastOf, pageUrlError } from '../../../../src/onboarding/domain/branding/branding.ts'

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

/** Background colors of public/tokens.css. */
const lightPapers = ['#f3f6f5', '#ffffff', '#f7f9f8']
const darkPapers = ['#0d1413', '#151f1d', '#1a2523']

test('every accent color is readable in both schemes, and so is text on it', () => {
  fc.assert(
    fc.property(color, (chosen) => {
      const { light, dark } = accentColors(chosen)
      const pairs = [
        ...lightPapers.flatMap((paper) => [light.accent, light.accentStrong].map((each) => [each, paper] as const)),
        ...darkPapers.flatMap((paper) => [dark.accent, dark.accentStrong].map((each) => [each, paper] as const)),
        ...[light, dark].flatMap(({ accentFill, accentFillStrong, onAccent }) => [
          [accentFill, onAccent] as const,
          [accentFillStrong, onAccent] as const,
        ]),
      ]

      expect(pairs.filter(([one, other]) => contrastOf(one, other) < 4.5)).toEqual([])
    }),
    { examples: [['#000000'], ['#ffffff'], ['#ffe600'], ['#808080'], ['#0c6863']] },
  )
})

test('keeps a readable color', () => {
  expect(accentColors('#0c6863').light.accent).toBe('#0c6863')
  expect(accentColors('#64c9be').dark.accent).toBe('#64c9be')
})

test('buttons have the tenant’s color, and a border if they are hard to see', () => {
  expect(accentColors('#ffe600').light).toMatchObject({ accentFill: '#ffe600', onAccent: '#000000' })
  expect(accentColors('#ffe600').dark.accentFill).toBe('#ffe600')
  expect(accentColors('#ffe600').light.accentLine).toBe('#ffe600')
  expect(accentColors('#ffffff').light.accentLine).toBe('#a6a6a6')
})

test('measures contrast by the WCAG formula', () => {
  expect(contrastOf('#000000', '#ffffff')).toBe(21)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

test.each([
  ['https://acme.example/help', undefined],
  ['http://acme.example/help', 'must be an https address'],
  ['javascript:alert(1)', 'must be an https address'],
  ['data:text/html,x', 'must be an https address'],
  ['https://user:pass@acme.example/', 'must not carry a user name or password'],
  ['https://acme.example/\nx', 'must not contain spaces, control characters or backslashes'],
  ['/help', 'must be an absolute address'],
])('validates %j as a link', (url, error) => {
  expect(pageUrlError(url)).toBe(error)
})
