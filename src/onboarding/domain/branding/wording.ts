// These texts are added to ours. They never replace who asks, for what, and how to decline.
import { sentenceError } from './plain-text.ts'

const wordingTexts = ['intro', 'help'] as const

export type LocaleWording = { [Text in (typeof wordingTexts)[number]]?: string | undefined }

export type Wording = Record<string, LocaleWording>

export const maxTextLength = 200
export const maxLocales = 30

export function wordingError(text: string): string | undefined {
  if ([...text].length > maxTextLength) return `must have at most ${maxTextLength} characters`
  return sentenceError(text)
}

export const wordingSnapshot = (wording: Wording = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(wording).flatMap(([locale, texts]) =>
      Object.entries(texts).flatMap(([name, text]) => (text ? [[`wording.${locale}.${name}`, text]] : [])),
    ),
  )
