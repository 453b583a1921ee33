// A tenant's logo: which files are taken, and what is kept of one.

/** Pages are light or dark as the browser asks; without a dark one, the light one is shown on both. */
export const colorSchemes = ['light', 'dark'] as const
export type ColorScheme = (typeof colorSchemes)[number]

/** `digest`: the SHA-256 of the picture as it is served, in hex, which is also its address. */
export type Logo = { digest: string; width: number; height: number }
export type Logos = { [Scheme in ColorScheme]?: Logo | undefined }

export type LogoPicture = Logo & { png: Buffer }

export const logoPath = ({ digest }: Pick<Logo, 'digest'>): string => `/logos/${digest}.png`

type Size = Pick<Logo, 'width' | 'height'>

/** Room on a page, in CSS pixels. A picture is kept at twice that, for dense screens. */
const room: Size = { width: 200, height: 40 }
export const keptRoom: Size = { width: 2 * room.width, height: 2 * room.height }

/** How large it is drawn. A browser that is told so keeps the room free, and moves no text once the picture is there. */
export function drawnSize({ width, height }: Size): Size {
  const scale = Math.min(1, room.width / width, room.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

export const largestFileBytes = 512 * 1024
/** Sixteen megabytes when decoded. */
export const mostPixels = 4_000_000
export const shortestSide = 20
export const steepestRatio = 8
/** What a page weighs in all is promised (60 kB), and this is part of it. */
export const largestPictureBytes = 24 * 1024

const svgError = 'must be a PNG, JPEG or WebP image. SVG is not accepted, because it can contain scripts'

/** Returns why a file is not worth decoding, or undefined if it is. The name and type that came with it say nothing. */
export function logoFileError(file: Buffer): string | undefined {
  if (file.length === 0) return 'is missing'
  if (file.length > largestFileBytes) return `must have at most ${largestFileBytes / 1024} kB`
  if (isPng(file) || isJpeg(file) || isWebp(file)) return undefined
  return looksLikeSvg(file) ? svgError : 'must be a PNG, JPEG or WebP image'
}

const isPng = (file: Buffer) => file.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
const isJpeg = (file: Buffer) => file.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))
const isWebp = (file: Buffer) => file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP'
const looksLikeSvg = (file: Buffer) => /<(?:svg|\?xml|!DOCTYPE)/i.test(file.toString('latin1', 0, 1_024))

/** Of what the file says of itself, before anything is decoded. */
export function logoSizeError({ width, height }: Size): string | undefined {
  if (width * height > mostPixels) return `must have at most ${mostPixels.toLocaleString('en')} pixels`
  if (Math.min(width, height) < shortestSide) return `must be at least ${shortestSide} pixels wide and high`
  if (Math.max(width / height, height / width) > steepestRatio) {
    return `must not be more than ${steepestRatio} times as long in one direction as in the other`
  }
  return undefined
}

export const logoUnreadable = 'could not be read: the file is damaged, or is not what it claims to be'

/** What the audit log keeps of one. */
export const logoSnapshot = (scheme: ColorScheme, { digest, width, height }: Logo) => ({
  colorScheme: scheme,
  digest,
  size: `${width} × ${height}`,
})
