// What a tenant says in its own words on the connect page: added to our sentences and marked as the tenant's, never in
// the place of those that say who asks, for what, and how to say no.
import { sentenceError } from './plain-text.ts'

export const wordingTexts = ['intro', 'help'] as const

/** `intro`: why the user is asked. `help`: what to do with questions. */
export type LocaleWording = { [Text in (typeof wordingTexts)[number]]?: string | undefined }

/** By language, as a BCP 47 tag. */
export type Wording = Record<string, LocaleWording>

export const longestText = 200
export const mostLocales = 30

/** Returns why a text cannot be shown, or undefined if it can. */
export function wordingError(text: string): string | undefined {
  if ([...text].length > longestText) return `must have at most ${longestText} characters`
  return sentenceError(text)
}

/** Flat, as the audit log keeps a change. */
export const wordingSnapshot = (wording: Wording = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(wording).flatMap(([locale, texts]) =>
      Object.entries(texts).flatMap(([name, text]) => (text ? [[`wording.${locale}.${name}`, text]] : [])),
    ),
  )
