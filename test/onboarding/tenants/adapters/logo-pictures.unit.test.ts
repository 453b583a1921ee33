// Pictures that anybody may have made: what comes out is ours, whatever went in.
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { maxPictureBytes } from '../../../../src/onboarding/domain/branding/logo.ts'
import { logoPictures } from '../../../../src/onboarding/tenants/adapters/logo-pictures.ts'
import { animatedWebp, pngChunk, pngFile } from '../../../support/doubles/pictures.ts'

const pictures = logoPictures()
const redraw = async (file: Buffer) => {
  const drawn = await pictures.redraw(file)
  if (!drawn) throw new Error('the file is unreadable')
  return drawn
}

const plain = (width = 600, height = 300) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 1 } } })

describe('a good file', () => {
  test.each(['png', 'jpeg', 'webp'] as const)('%s becomes a PNG that fits, in the same colors', async (format) => {
    const drawn = await redraw(await plain().toFormat(format, { quality: 100 }).toBuffer())

    const { dominant } = await sharp(drawn.png).stats()
    expect(drawn).toMatchObject({ width: 160, height: 80 })
    expect((await sharp(drawn.png).metadata()).format).toBe('png')
    expect(Math.abs(dominant.r - 200) + dominant.g - 30 + dominant.b - 30).toBeLessThan(48)
  })

  test('is not enlarged, and keeps what is transparent', async () => {
    const drawn = await redraw(await plain(30, 20).ensureAlpha(0.5).png().toBuffer())

    expect(drawn).toMatchObject({ width: 30, height: 20 })
    expect((await sharp(drawn.png).metadata()).hasAlpha).toBe(true)
  })

  test('that was photographed upright stands upright', async () => {
    const drawn = await redraw(await plain(600, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer())

    expect(drawn).toMatchObject({ width: 40, height: 80 })
  })

  test('makes the same picture each time, so that it has one address', async () => {
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

describe('nothing but pixels survives', () => {
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
  ])('not %s that stands behind the picture', async (_what, rest) => {
    const { png } = await redraw(Buffer.concat([await plain().png().toBuffer(), Buffer.from(rest, 'latin1')]))

    expect(png.includes('CANARY')).toBe(false)
  })

  test('not a script in a comment of a chunk', async () => {
    const file = pngFile({
      width: 40,
      height: 40,
      extra: [pngChunk('tEXt', Buffer.from('x\0<script>CANARY</script>'))],
    })

    expect((await redraw(file)).png.includes('CANARY')).toBe(false)
  })

  test('of an animation, the first frame alone', async () => {
    const file = await animatedWebp()
    expect((await sharp(file, { animated: true }).metadata()).pages).toBe(2)

    const { png, height } = await redraw(file)

    expect(height).toBe(40)
    expect((await sharp(png, { animated: true }).metadata()).pages ?? 1).toBe(1)
  })
})

describe('a hostile file', () => {
  test('that claims to be enormous is measured without being decoded', async () => {
    const file = pngFile({ width: 60_000, height: 60_000, data: deflateSync(Buffer.alloc(1_000)) })

    expect(await pictures.measure(file)).toEqual({ width: 60_000, height: 60_000 })
    expect(await pictures.redraw(file)).toBeUndefined()
  })

  test('that says less than it holds is unreadable, or as small as it said', async () => {
    const drawn = await pictures.redraw(pngFile({ width: 40, height: 40, data: deflateSync(Buffer.alloc(10_000_000)) }))

    expect([undefined, 40]).toContain(drawn?.width)
  })

  test('with a text that unpacks without end is read or refused in a moment', async () => {
    const bomb = Buffer.concat([Buffer.from('x\0\0'), deflateSync(Buffer.alloc(20_000_000))])
    const file = pngFile({ width: 40, height: 40, extra: [pngChunk('zTXt', bomb)] })

    const drawn = await pictures.redraw(file)

    expect([undefined, 40]).toContain(drawn?.width)
  })

  test.each(['png', 'jpeg', 'webp'] as const)('%s that is cut off anywhere is unreadable', async (format) => {
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
    ['a PNG in name alone', '\x89PNG\r\n\x1a\n<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a JPEG in name alone', '\xff\xd8\xff<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a WebP in name alone', 'RIFF\x04\0\0\0WEBP<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a TIFF', 'II*\0\x08\0\0\0'],
  ])('%s is unreadable', async (_what, text) => {
    const file = Buffer.from(text, 'latin1')

    expect([await pictures.measure(file), await pictures.redraw(file)]).toEqual([undefined, undefined])
  })
})
