import { contrastOf } from '../branding/branding.ts'
import type { Integration } from '../integration.ts'

/** A picture, or letters on a coloured tile. */
export type AppIcon = { src: string } | { letters: string; color: string; ink: string }

export function appIcon({ displayName, icon, color, about }: ShownApp): AppIcon {
  const named = icon ?? about?.icon
  if (named === undefined) return monogram(displayName, color ?? about?.color)
  return { src: named.startsWith('data:') ? named : `/assets/logos/${named.replace(':', '/')}.svg` }
}

type ShownApp = Pick<Integration, 'displayName' | 'icon' | 'color' | 'about'>

const colors = [
  '#1F6FEB',
  '#0E7C66',
  '#8250DF',
  '#B3541E',
  '#BF3989',
  '#3B6E22',
  '#0B7285',
  '#9A3412',
  '#5B5BD6',
  '#A0216B',
]

export function monogram(name: string, color = colors[sumOf(name) % colors.length] ?? '#1F6FEB'): AppIcon {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? ['?']
  const letters = words.slice(0, 2).map((word) => [...word][0])
  return { letters: letters.join('').toUpperCase(), color, ink: inkOn(color) }
}

const sumOf = (name: string): number => [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0)

const inkOn = (color: string): string =>
  contrastOf(color, '#111111') > contrastOf(color, '#FFFFFF') ? '#111111' : '#FFFFFF'
