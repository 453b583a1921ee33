import { contrast, darkSurface } from './branding.ts'

export const colorSchemes = ['light', 'dark'] as const
export type ColorScheme = (typeof colorSchemes)[number]

/** `digest`: SHA-256 of the served picture in hex, also its address. `readableOnDark` is unknown before 0.4.0. */
export type Logo = { digest: string; width: number; height: number; readableOnDark?: boolean | undefined }
export type Logos = { [Scheme in ColorScheme]?: Logo | undefined }

export type LogoPicture = Logo & { png: Buffer }

export const logoPath = ({ digest }: Pick<Logo, 'digest'>): string => `/logos/${digest}.png`

type Size = Pick<Logo, 'width' | 'height'>

/** In CSS pixels. Pictures are stored at twice that size for dense screens. */
const room: Size = { width: 200, height: 40 }
export const keptRoom: Size = { width: 2 * room.width, height: 2 * room.height }

/** With a size the browser reserves the space, so text does not move when the picture loads. */
export function drawnSize({ width, height }: Size): Size {
  const scale = Math.min(1, room.width / width, room.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** A margin in one of these colors is trimmed. Another color may be a plate that belongs to the logo. */
export const isMargin = ([red = 0, green = 0, blue = 0, alpha = 0]: Uint8Array): boolean =>
  alpha === 0 || Math.min(red, green, blue) >= 245

const minShareReadable = 0.8
const minGraphicsContrast = 3 // WCAG 2.2, 1.4.11

/** `pixels`: RGBA. An opaque picture with a light background looks better with a margin in the same color. */
export function isReadableOnDark(pixels: Uint8Array): boolean {
  let [visible, readable, light] = [0, 0, 0]
  for (let at = 0; at < pixels.length; at += 4) {
    const pixel = pixels.subarray(at, at + 4)
    if ((pixel[3] ?? 0) < 128) continue
    visible++
    if (contrastWithDark(pixel) >= minGraphicsContrast) readable++
    if (isMargin(pixel)) light++
  }
  const isOpaque = visible === pixels.length / 4
  if (isOpaque) return light < visible / 2
  return readable >= minShareReadable * visible
}

const contrastWithDark = ([red = 0, green = 0, blue = 0]: Uint8Array): number =>
  contrast([red, green, blue], darkSurface)

export const maxFileBytes = 512 * 1024
export const maxPixels = 4_000_000
const minSide = 20
const maxRatio = 8
/** Part of the 60 kB budget of a page. */
export const maxPictureBytes = 24 * 1024

const svgError = 'must be a PNG, JPEG or WebP image. SVG is not accepted, because it can contain scripts'

/** Ignores file name and content type: they prove nothing. */
export function logoFileError(file: Buffer): string | undefined {
  if (file.length === 0) return 'is missing'
  if (file.length > maxFileBytes) return `must have at most ${maxFileBytes / 1024} kB`
  if (isPng(file) || isJpeg(file) || isWebp(file)) return undefined
  return looksLikeSvg(file) ? svgError : 'must be a PNG, JPEG or WebP image'
}

const isPng = (file: Buffer) => file.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
const isJpeg = (file: Buffer) => file.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))
const isWebp = (file: Buffer) => file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP'
const looksLikeSvg = (file: Buffer) => /<(?:svg|\?xml|!DOCTYPE)/i.test(file.toString('latin1', 0, 1_024))

export function logoSizeError({ width, height }: Size): string | undefined {
  if (width * height > maxPixels) return `must have at most ${maxPixels.toLocaleString('en')} pixels`
  if (Math.min(width, height) < minSide) return `must be at least ${minSide} pixels wide and high`
  if (Math.max(width / height, height / width) > maxRatio) {
    return `must not be more than ${maxRatio} times as long in one direction as in the other`
  }
  return undefined
}

export const logoUnreadable = 'could not be read: the file is damaged, or is not what it claims to be'

export const logoSnapshot = (scheme: ColorScheme, { digest, width, height }: Logo) => ({
  colorScheme: scheme,
  digest,
  size: `${width} × ${height}`,
})
