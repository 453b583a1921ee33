// Languages of pages for end users and of texts that tenants show them. The console, the API and its reference are in
// English.
import type { Request, Response } from 'express'
import { lazy } from '../../kit/cache/lazy.ts'
import { pickLocale } from '../../kit/messages/pick-locale.ts'
import { pseudoLocales } from '../../kit/messages/pseudo-locale.ts'
import { readMessages } from '../../kit/messages/read-messages.ts'
import { createTranslator, type Texts, type Translator } from '../../kit/messages/translator.ts'

export type Languages = {
  english: Translator
  locales: readonly string[]
  /** The language of the browser's last flow, or of the browser. */
  forError(req: Request): Translator
  /** `locale`: set by the tenant for this user. Otherwise the browser decides. */
  forVisitor(req: Request, locale: string | undefined): Translator
  /** Falls back to English. */
  forLocale(locale: string | undefined): Translator
}

/** Compiled once per process. */
export const installedLanguages = lazy(() => createLanguages(readMessages()))

export function createLanguages(files: Readonly<Record<string, Texts>>): Languages {
  const source = files.en ?? { messages: {}, phrases: {} }
  // A phrase that some language translates is known.
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

/** Set by linking/http/browser-cookies.ts. A forged cookie can only select a language. */
const keptLocale = ({ headers: { cookie = '' } }: Request): string | undefined =>
  /(?:^|;[ \t]*)(?:__Host-)?cf-locale=([A-Za-z0-9-]{2,35})(?:;|$)/.exec(cookie)?.[1]

export const languageLocals = ({ lang, dir, t, parts }: Translator) => ({ lang, dir, t, parts })

export function languageHeaders(res: Response, { lang }: Translator): void {
  res.setHeader('Content-Language', lang)
  res.vary('Accept-Language')
}

export function renderPage(res: Response, view: string, translator: Translator, locals: object): void {
  languageHeaders(res, translator)
  res.render(view, { ...locals, ...languageLocals(translator) })
}
