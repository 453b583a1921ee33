// The languages of the pages that end users meet, and of what a tenant shows them instead of us. The console, the API
// and its reference are in English.
import type { Request, Response } from 'express'
import { lazy } from '../../kit/cache/lazy.ts'
import { pickLocale } from '../../kit/messages/pick-locale.ts'
import { pseudoLocales } from '../../kit/messages/pseudo-locale.ts'
import { readMessages } from '../../kit/messages/read-messages.ts'
import { createTranslator, type Texts, type Translator } from '../../kit/messages/translator.ts'

export type Languages = {
  english: Translator
  /** That pages can be in. */
  locales: readonly string[]
  /** For a page that knows no user: the language that the browser's last flow was shown in, or its own. */
  forError(req: Request): Translator
  /** `locale`: the one that the tenant named for this user. Without it, or without a text in it, the browser decides. */
  forVisitor(req: Request, locale: string | undefined): Translator
  /** For words that a tenant shows itself. Without a text in this language, English. */
  forLocale(locale: string | undefined): Translator
}

/** Of the texts that are installed with the program. Each is compiled once, however many apps a process has. */
export const installedLanguages = lazy(() => createLanguages(readMessages()))

export function createLanguages(files: Readonly<Record<string, Texts>>): Languages {
  const source = files.en ?? { messages: {}, phrases: {} }
  // A phrase that some language translates is one we know.
  const known = Object.values(files).flatMap(({ phrases }) => Object.keys(phrases))
  const english = { ...source, phrases: Object.fromEntries(known.map((phrase) => [phrase, phrase])) }
  const translators = new Map<string, Translator>()
  for (const [lang, texts] of Object.entries(files)) {
    const messages = { ...source.messages, ...texts.messages }
    translators.set(lang, createTranslator(lang, lang === 'en' ? english : { ...texts, messages }))
  }
  for (const [lang, pseudo] of Object.entries(pseudoLocales)) {
    translators.set(lang, createTranslator(lang, english, pseudo))
  }
  const inEnglish = translators.get('en') ?? createTranslator('en', english)
  const [available, hidden] = [Object.keys(files), Object.keys(pseudoLocales)]
  const firstOf = (wanted: readonly string[]) =>
    translators.get(pickLocale(wanted, available, hidden) ?? 'en') ?? inEnglish
  const forVisitor: Languages['forVisitor'] = (req, locale) =>
    firstOf(locale === undefined ? req.acceptsLanguages() : [locale, ...req.acceptsLanguages()])
  return {
    english: inEnglish,
    locales: available,
    forVisitor,
    forError: (req) => forVisitor(req, keptLocale(req)),
    forLocale: (locale) => firstOf(locale === undefined ? [] : [locale]),
  }
}

/** Set by linking/http/browser-cookies.ts. Whoever sets it otherwise chooses no more than a language of ours. */
const keptLocale = ({ headers: { cookie = '' } }: Request): string | undefined =>
  /(?:^|;[ \t]*)(?:__Host-)?cf-locale=([A-Za-z0-9-]{2,35})(?:;|$)/.exec(cookie)?.[1]

/** What every template needs to write in a language. */
export const languageLocals = ({ lang, dir, t, parts }: Translator) => ({ lang, dir, t, parts })

/** The language is chosen by a header, so a cache that keeps the page has to know. */
export function languageHeaders(res: Response, { lang }: Translator): void {
  res.setHeader('Content-Language', lang)
  res.vary('Accept-Language')
}

export function renderPage(res: Response, view: string, translator: Translator, locals: object): void {
  languageHeaders(res, translator)
  res.render(view, { ...locals, ...languageLocals(translator) })
}
