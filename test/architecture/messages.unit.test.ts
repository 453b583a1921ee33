// The files that translators edit.
import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { lazy } from '../../src/kit/cache/lazy.ts'
import { readMessages } from '../../src/kit/messages/read-messages.ts'
import { categories } from '../../src/onboarding/domain/catalogue/catalogue-item.ts'
import type { Integration } from '../../src/onboarding/domain/integration.ts'
import { linkSteps } from '../../src/onboarding/domain/link.ts'
import { homeLocals } from '../../src/onboarding/http/locals/home.ts'
import { testProviderLocals } from '../../src/onboarding/linking/http/locals/test-provider.ts'
import { filesBelow } from './documents.ts'

const files = readMessages()
const { en: english = { messages: {}, phrases: {} }, ...translations } = files
const languages = Object.entries(files)

/** Keys that are written by hand and used by some page. Those of causes and errors are generated. */
function usedKeys(): Set<string> {
  const steps = linkSteps.flatMap((step) => [`step.${step}`, `step.${step}Done`])
  const used = new Set([...steps, ...categories.map((code) => `category.${code}`)])
  const t = (key: string) => void used.add(key) as never as string
  testProviderLocals({ displayName: '' } as Integration, '', { t })
  homeLocals(true, { t })
  const sources = [...filesBelow('views', /\.ejs$/), ...filesBelow('src/onboarding', /\.ts$/)]
  const literal = /'((?:page|home|connect|picker|manage|message|redirect|link|testProvider)\.[A-Za-z_.]+)'/g
  const named = sources.filter(isPage).flatMap((path) => [...readFileSync(path, 'utf8').matchAll(literal)])
  return new Set([...used, ...named.map(([, key = '']) => key)])
}

/** Elsewhere the same letters name events and audit actions. */
const isPage = (path: string) =>
  /\/views\/|\/linking\/http\/|\/connections\/http\/|\/onboarding\/http\/(?:locals\/|error-page)|\/locals\/reconnect-link\.ts$/.test(
    path,
  )

test('the message file has exactly the keys that pages use', () => {
  const written = Object.keys(english.messages).filter((key) => !/^(?:cause|error)\./.test(key))
  const [used, there] = [usedKeys(), new Set(written)]

  expect([...used].filter((key) => !there.has(key))).toEqual([])
  expect([...there].filter((key) => !used.has(key))).toEqual([])
})

/** Our own nouns, for which the user has other words. Developers read the test provider. */
const forbidden: Record<string, RegExp> = {
  en: /\b(?:grant\w*|deployment\w*|members?|held)\b|`/i,
  de: /\b(?:grants?|deployments?|mitglied\w*|gehalten)\b|`/i,
  es: /\b(?:grants?|despliegues?|miembros?|retenid\w+)\b|`/i,
  fr: /\b(?:grants?|déploiements?|membres?|détenu\w*)\b|`/i,
  ja: /グラント|デプロイ|メンバー|保留|`/,
  'pt-BR': /\b(?:grants?|implantaç\w+|membros?|retid\w+)\b|`/i,
}

/** Names of settings, and values of the API. */
const codes = /\b(?:[A-Z][A-Z0-9]*|[a-z][a-z0-9]*)_\w+/

test('no text for end users contains an internal term', () => {
  const isWrong = (language: string, text: string) => forbidden[language]?.test(text) || codes.test(text)
  const wrong = languages.flatMap(([language, { messages }]) =>
    Object.entries(messages)
      .filter(([key, text]) => !key.startsWith('testProvider.') && isWrong(language, text))
      .map(([key]) => `${language}: ${key}`),
  )

  expect(Object.keys(forbidden).sort()).toEqual(Object.keys(files).sort())
  expect(wrong).toEqual([])
})

test('advice and button name the same action', () => {
  const wrong = Object.entries(english.messages).filter(([, text]) => /start again/i.test(text))

  expect(wrong).toEqual([])
})

test('the languages are those of the README', () => {
  expect(Object.keys(files).sort()).toEqual(['de', 'en', 'es', 'fr', 'ja', 'pt-BR'])
})

describe.each(Object.entries(translations))('%s', (_lang, { messages, phrases }) => {
  test('has the same placeholders and elements as English', () => {
    const different = Object.keys(messages).filter(
      (key) => placeholders(messages[key] ?? '').join() !== placeholders(english.messages[key] ?? '').join(),
    )

    expect(different).toEqual([])
  })

  test('is not much longer than English', () => {
    const tooLong = Object.entries(messages).filter(
      ([key, text]) => text.length > 1.7 * (english.messages[key]?.length ?? 0) + 20,
    )

    expect(tooLong).toEqual([])
  })

  test('has no message identical to English', () => {
    const same = Object.entries(messages).filter(([key, text]) => text === english.messages[key])

    expect(same).toEqual([])
  })

  test('translates the same permissions and apps as the others', () => {
    const [first] = Object.values(translations)

    expect(Object.keys(phrases)).toEqual(Object.keys(first?.phrases ?? {}))
    expect(Object.values(phrases).filter((text) => text.trim() === '')).toEqual([])
  })
})

describe.each(languages)('%s', (lang, { messages }) => {
  test('has the plural forms of its language', () => {
    const known = new Set<string>(new Intl.PluralRules(lang).resolvedOptions().pluralCategories)
    const forms = Object.values(messages).flatMap((text) => pluralForms(text))

    expect(forms.length).toBeGreaterThan(0)
    for (const each of forms) {
      expect(each).toContain('other')
      expect(each.includes('one')).toBe(known.has('one'))
      expect(each.filter((form) => !known.has(form))).toEqual([])
    }
  })

  test('gives advice for each cause in at most two sentences', () => {
    const advice = Object.entries(messages).filter(([key]) => /^cause\..*\.advice$/.test(key))
    const sentences = (text: string) =>
      text.split(/(?<=[.!?。？])(?:\s|$)|(?<=。)/).filter((part) => part !== '').length

    expect(advice.filter(([, text]) => sentences(text) > 2)).toEqual([])
  })

  test('has buttons that fit a phone', () => {
    const buttons = ['connect.continue', 'connect.cancel', 'redirect.continue', 'link.tryAgain', 'link.signInAs']

    expect(buttons.filter((key) => (messages[key] ?? '').replace(/\{\w+\}/g, '').length > 24)).toEqual([])
  })
})

test('translated permissions and apps are in the catalogue or the demo', () => {
  const sources = [...filesBelow('catalogue', /\.json$/), ...filesBelow('src/demo', /\.ts$/)]
  const asked = sources.map((path) => readFileSync(path, 'utf8')).join('\n')
  const [first] = Object.values(translations)

  expect(Object.keys(first?.phrases ?? {}).filter((phrase) => !asked.includes(phrase))).toEqual([])
})

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

const asts = new Map<string, Element[]>()

/** Parsed once: English messages are compared with those of each language. */
function astOf(text: string): Element[] {
  const ast = asts.get(text) ?? new IntlMessageFormat(text, 'en').getAst()
  asts.set(text, ast)
  return ast
}

/** Arguments by name, elements by `<name>`. */
const placeholders = (text: string): string[] => [...new Set(astOf(text).flatMap(namesIn))].sort()

function namesIn(element: Element): string[] {
  if ('children' in element) return [`<${element.value}>`, ...element.children.flatMap(namesIn)]
  if ('options' in element) {
    return [element.value, ...Object.values(element.options).flatMap(({ value }) => value.flatMap(namesIn))]
  }
  return element.type === 0 || !('value' in element) ? [] : [element.value]
}

const pluralForms = (text: string): string[][] =>
  astOf(text).flatMap((element) => ('options' in element ? [Object.keys(element.options)] : []))

type Scoped = { scopes?: Array<{ description?: string }> }
type ProviderFile = Scoped & {
  tier: string
  inputs?: Record<string, { label: string; help?: string }>
  products: Array<{ description: string }>
}

/** Texts of the catalogue that end users read, by their kind. */
const catalogueTexts = lazy(() => {
  const files: ProviderFile[] = filesBelow('catalogue/providers', /\.json$/).map((path) =>
    JSON.parse(readFileSync(path, 'utf8')),
  )
  const inputs = files.flatMap((file) => Object.values(file.inputs ?? {}))
  const offered = files.filter(({ tier }) => tier !== 'listed').flatMap(({ products }) => products)
  return {
    permissions: [...new Set(files.flatMap(scopesIn))],
    fields: inputs.flatMap(({ label, help }) => [label, ...(help === undefined ? [] : [help])]),
    'apps that are more than listed': offered.map(({ description }) => description),
  }
})

function scopesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { scopes } = value as Scoped
  const own = Array.isArray(scopes) ? scopes.flatMap(({ description }) => description ?? []) : []
  return [...own, ...Object.values(value).flatMap(scopesIn)]
}

test.each([
  ['permissions', 300],
  ['fields', 30],
  ['apps that are more than listed', 200],
] as const)('all %s of the catalogue are described in all languages', (kind, min) => {
  const described = catalogueTexts()[kind]
  const missing = Object.entries(translations).flatMap(([lang, { phrases }]) =>
    described.filter((phrase) => !phrases[phrase]).map((phrase) => `${lang}: ${phrase}`),
  )

  expect(described.length).toBeGreaterThan(min)
  expect(missing).toEqual([])
})
