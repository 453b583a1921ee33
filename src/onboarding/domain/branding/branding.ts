import type { Wording } from './wording.ts'

export type Branding = {
  accentColor?: string | undefined
  supportUrl?: string | undefined
  privacyUrl?: string | undefined
  termsUrl?: string | undefined
  wording?: Wording | undefined
}

export const accentPattern = /^#[0-9a-f]{6}$/

export function pageUrlError(raw: string): string | undefined {
  // Browsers drop tabs and newlines and read \\ as /, so the checked URL would differ from the opened one.
  if (/[\s\\\p{Cc}]/u.test(raw)) return 'must not contain spaces, control characters or backslashes'
  if (!URL.canParse(raw)) return 'must be an absolute address'
  const { protocol, username, password } = new URL(raw)
  if (protocol !== 'https:') return 'must be an https address'
  return username || password ? 'must not carry a user name or password' : undefined
}

type Rgb = readonly [red: number, green: number, blue: number]

/** `accent` is for text and signs, `accentFill` for buttons, with `onAccent` on it. */
export type AccentColors = Record<
  'accent' | 'accentStrong' | 'accentSoft' | 'accentFill' | 'accentFillStrong' | 'accentLine' | 'onAccent',
  string
>

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]

/** Backgrounds of accent-colored text in public/tokens.css: the lowest contrast of each scheme. */
const lightPaper: Rgb = [0xf3, 0xf6, 0xf5]
export const darkSurface: Rgb = [0x1a, 0x25, 0x23]

const minContrast = 4.6

export function accentColors(accentColor: string): { light: AccentColors; dark: AccentColors } {
  const chosen = parse(accentColor)
  return {
    light: { ...textColors(readable(chosen, lightPaper, black), black, white), ...fillColors(chosen, white, black) },
    dark: {
      ...textColors(readable(chosen, darkSurface, white), white, darkSurface),
      ...fillColors(chosen, darkSurface, white),
    },
  }
}

/** The color as it is, with the text that is easier to read on it. */
function fillColors(fill: Rgb, surface: Rgb, towards: Rgb) {
  const isDark = contrast(fill, white) >= contrast(fill, black)
  const isSeen = contrast(fill, surface) >= minFillContrast
  return {
    accentFill: written(fill),
    accentFillStrong: written(mix(fill, isDark ? black : white, 0.15)),
    accentLine: written(isSeen ? fill : mix(fill, towards, 0.35)),
    onAccent: written(isDark ? white : black),
  }
}

/** A button of a color closer to the surface gets a border. */
const minFillContrast = 1.2

function readable(color: Rgb, background: Rgb, towards: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.02) {
    const tried = mix(color, towards, share)
    if (contrast(tried, background) >= minContrast) return tried
  }
  return towards
}

const textColors = (accent: Rgb, towards: Rgb, soft: Rgb) => ({
  accent: written(accent),
  accentStrong: written(mix(accent, towards, 0.25)),
  accentSoft: written(mix(soft, accent, 0.14)),
})

const parse = (color: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb

const written = (color: Rgb): string => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`

const mix = (from: Rgb, to: Rgb, share: number): Rgb =>
  from.map((part, at) => Math.round(part + ((to[at] ?? 0) - part) * share)) as unknown as Rgb

export function contrastOf(one: string, other: string): number {
  return contrast(parse(one), parse(other))
}

export function contrast(one: Rgb, other: Rgb): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
