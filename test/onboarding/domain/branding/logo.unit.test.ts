import { expect, test } from 'vitest'
import {
  drawnSize,
  logoFileError,
  logoSizeError,
  maxFileBytes,
} from '../../../../src/onboarding/domain/branding/logo.ts'

const png = Buffer.from('\x89PNG\r\n\x1a\n rest', 'latin1')
const kinds = 'must be a PNG, JPEG or WebP image'
const svg = `${kinds}. SVG is not accepted, because it can contain scripts`

test.each([
  ['a PNG', png, undefined],
  ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), undefined],
  ['a WebP', Buffer.from('RIFF\x04\0\0\0WEBPVP8 ', 'latin1'), undefined],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), svg],
  ['an SVG behind an XML declaration', Buffer.from('\ufeff <?xml version="1.0"?>\n<!-- x -->\n<svg/>'), svg],
  ['a compressed SVG', Buffer.from([0x1f, 0x8b, 8]), kinds],
  ['a GIF', Buffer.from('GIF89a'), kinds],
  ['a page', Buffer.from('<html>'), kinds],
  ['a PDF', Buffer.from('%PDF-1.7'), kinds],
  ['RIFF of another type', Buffer.from('RIFF\x04\0\0\0AVI '), kinds],
  ['nothing', Buffer.alloc(0), 'is missing'],
  ['too much', Buffer.concat([png, Buffer.alloc(maxFileBytes)]), 'must have at most 512 kB'],
])('validates %s as a file', (_what, file, error) => {
  expect(logoFileError(file)).toBe(error)
})

test.each([
  [400, 80, undefined],
  [2_000, 2_000, undefined],
  [2_001, 2_000, 'must have at most 4,000,000 pixels'],
  [65_535, 65_535, 'must have at most 4,000,000 pixels'],
  [19, 100, 'must be at least 20 pixels wide and high'],
  [1_000, 120, 'must not be more than 8 times as long in one direction as in the other'],
  [120, 1_000, 'must not be more than 8 times as long in one direction as in the other'],
])('validates %i by %i pixels', (width, height, error) => {
  expect(logoSizeError({ width, height })).toBe(error)
})

test.each([
  [400, 80, 200, 40],
  [80, 80, 40, 40],
  [30, 20, 30, 20],
  [400, 50, 200, 25],
])('scales %i by %i pixels to %i by %i', (width, height, drawnWidth, drawnHeight) => {
  expect(drawnSize({ width, height })).toEqual({ width: drawnWidth, height: drawnHeight })
})
