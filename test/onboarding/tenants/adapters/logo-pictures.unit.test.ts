// Untrusted pictures: the output contains only what the program wrote.
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { maxPictureBytes } from '../../../../src/onboarding/domain/branding/logo.ts'
import { logoPictures } from '../../../../src/onboarding/tenants/adapters/logo-pictures.ts'
import { animatedWebp, pngChunk, pngFile, wordMark } from '../../../support/doubles/pictures.ts'

const pictures = logoPictures()
const redraw = async (file: Buffer) => {
  const drawn = await pictures.redraw(file)
  if (!drawn) throw new Error('the file is unreadable')
  return drawn
}

const plain = (width = 600, height = 300) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 1 } } })

describe('a valid file', () => {
  test.each(['png', 'jpeg', 'webp'] as const)('%s becomes a scaled PNG with the same colors', async (format) => {
    const drawn = await redraw(await plain().toFormat(format, { quality: 100 }).toBuffer())

    const { dominant } = await sharp(drawn.png).stats()
    expect(drawn).toMatchObject({ width: 160, height: 80 })
    expect((await sharp(drawn.png).metadata()).format).toBe('png')
    expect(Math.abs(dominant.r - 200) + dominant.g - 30 + dominant.b - 30).toBeLessThan(48)
  })

  test('is not enlarged, and keeps transparency', async () => {
    const drawn = await redraw(await plain(30, 20).ensureAlpha(0.5).png().toBuffer())

    expect(drawn).toMatchObject({ width: 30, height: 20 })
    expect((await sharp(drawn.png).metadata()).hasAlpha).toBe(true)
  })

  test('with EXIF rotation is rotated upright', async () => {
    const drawn = await redraw(await plain(600, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer())

    expect(drawn).toMatchObject({ width: 40, height: 80 })
  })

  test('produces the same picture each time, and so the same URL', async () => {
    const file = await plain().png().toBuffer()

    expect((await redraw(file)).png.equals((await redraw(file)).png)).toBe(true)
  })

  test('of noise is small enough for a page', async () => {
    const noise = { width: 800, height: 160, channels: 4 as const }
    const bytes = Buffer.from(Array.from({ length: 800 * 160 * 4 }, (_, at) => (at * 2_654_435_761) >>> 24))

    const { png } = await redraw(await sharp(bytes, { raw: noise }).png().toBuffer())

    expect(png.length).toBeLessThanOrEqual(maxPictureBytes)
  })
})

describe('a margin', () => {
  const inside = (background: string, mark: string) =>
    sharp({ create: { width: 600, height: 300, channels: 4, background } }).composite([
      { input: { create: { width: 100, height: 50, channels: 4, background: mark } }, left: 20, top: 200 },
    ])

  test.each([
    ['transparent', '#00000000', '#cc2222'],
    ['white', '#ffffff', '#cc2222'],
    ['nearly white', '#fafafa', '#cc2222'],
  ])('that is %s is trimmed', async (_, background, mark) => {
    expect(await redraw(await inside(background, mark).png().toBuffer())).toMatchObject({ width: 100, height: 50 })
  })

  test('in a color is kept, because it may be part of the logo', async () => {
    expect(await redraw(await inside('#204080', '#ffffff').png().toBuffer())).toMatchObject({ width: 160, height: 80 })
  })

  test.each(['#ffffff', '#00000000'])('is kept if the picture is one color (%s)', async (background) => {
    expect(await redraw(await inside(background, background).png().toBuffer())).toMatchObject({ width: 160 })
  })
})

test.each([
  ['dark letters', () => wordMark('#1a1a1a'), false],
  ['purple letters', () => wordMark('#3b3b98'), false],
  ['yellow letters', () => wordMark('#ffe600'), true],
  ['white letters', () => wordMark('#ffffff'), true],
  ['a colored background', () => plain().png().toBuffer(), true],
  ['a white background', () => onPlate('#ffffff'), false],
  ['a black background', () => onPlate('#000000'), true],
])('%s: detects whether the logo is readable on dark pages without a tile', async (_, file, readableOnDark) => {
  expect((await redraw(await file())).readableOnDark).toBe(readableOnDark)
})

/** Two marks at the edges, so that nothing is trimmed. */
const onPlate = (background: string) => {
  const mark = { create: { width: 20, height: 20, channels: 3 as const, background: '#cc2222' } }
  return sharp({ create: { width: 200, height: 100, channels: 3, background } })
    .composite([
      { input: mark, left: 0, top: 0 },
      { input: mark, left: 180, top: 80 },
    ])
    .jpeg({ quality: 100 })
    .toBuffer()
}

describe('keeps only pixels', () => {
  test('no EXIF, XMP, color profile or text', async () => {
    const exif = { IFD0: { Copyright: 'CANARY-exif', ImageDescription: 'CANARY-where' } }
    const file = await plain()
      .withExif(exif)
      .withXmp('<x:xmpmeta>CANARY-xmp</x:xmpmeta>')
      .withIccProfile('p3')
      .jpeg()
      .toBuffer()
    expect(file.includes('CANARY-exif')).toBe(true)

    const { png } = await redraw(file)

    const { exif: noExif, xmp, icc, comments } = await sharp(png).metadata()
    expect({ noExif, xmp, icc, comments }).toEqual({
      noExif: undefined,
      xmp: undefined,
      icc: undefined,
      comments: undefined,
    })
    expect(png.includes('CANARY')).toBe(false)
  })

  test.each([
    ['a page', '<html><script>alert("CANARY")</script></html>'],
    ['an archive', 'PK\x03\x04CANARY'],
    ['a script', '*/=1;alert("CANARY")//'],
  ])('no %s after the picture', async (_what, rest) => {
    const { png } = await redraw(Buffer.concat([await plain().png().toBuffer(), Buffer.from(rest, 'latin1')]))

    expect(png.includes('CANARY')).toBe(false)
  })

  test('no script in a chunk comment', async () => {
    const file = pngFile({
      width: 40,
      height: 40,
      extra: [pngChunk('tEXt', Buffer.from('x\0<script>CANARY</script>'))],
    })

    expect((await redraw(file)).png.includes('CANARY')).toBe(false)
  })

  test('only the first frame of an animation', async () => {
    const file = await animatedWebp()
    expect((await sharp(file, { animated: true }).metadata()).pages).toBe(2)

    const { png, height } = await redraw(file)

    expect(height).toBe(40)
    expect((await sharp(png, { animated: true }).metadata()).pages ?? 1).toBe(1)
  })
})

describe('a hostile file', () => {
  test('that claims an enormous size is measured without being decoded', async () => {
    const file = pngFile({ width: 60_000, height: 60_000, data: deflateSync(Buffer.alloc(1_000)) })

    expect(await pictures.measure(file)).toEqual({ width: 60_000, height: 60_000 })
    expect(await pictures.redraw(file)).toBeUndefined()
  })

  test('that contains more than it declares is unreadable or has the declared size', async () => {
    const drawn = await pictures.redraw(pngFile({ width: 40, height: 40, data: deflateSync(Buffer.alloc(10_000_000)) }))

    expect([undefined, 40]).toContain(drawn?.width)
  })

  test('with a compressed text bomb is read or rejected quickly', async () => {
    const bomb = Buffer.concat([Buffer.from('x\0\0'), deflateSync(Buffer.alloc(20_000_000))])
    const file = pngFile({ width: 40, height: 40, extra: [pngChunk('zTXt', bomb)] })

    const drawn = await pictures.redraw(file)

    expect([undefined, 40]).toContain(drawn?.width)
  })

  test.each(['png', 'jpeg', 'webp'] as const)('%s that is truncated anywhere is unreadable', async (format) => {
    const pattern = Buffer.from(Array.from({ length: 300 * 100 * 3 }, (_, at) => (at * 40_503) % 251))
    const file = await sharp(pattern, { raw: { width: 300, height: 100, channels: 3 } })
      .toFormat(format)
      .toBuffer()

    for (const share of [0.02, 0.3, 0.6, 0.9]) {
      expect(await pictures.redraw(file.subarray(0, file.length * share)), `${share} of it`).toBeUndefined()
    }
  })

  test.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="9" height="9"/></svg>'],
    ['a GIF', 'GIF89a\x28\0\x28\0\0\0\0;'],
    ['a PNG by name only', '\x89PNG\r\n\x1a\n<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a JPEG by name only', '\xff\xd8\xff<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a WebP by name only', 'RIFF\x04\0\0\0WEBP<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a TIFF', 'II*\0\x08\0\0\0'],
  ])('%s is unreadable', async (_what, text) => {
    const file = Buffer.from(text, 'latin1')

    expect([await pictures.measure(file), await pictures.redraw(file)]).toEqual([undefined, undefined])
  })
})
