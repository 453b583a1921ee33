// The files that translators edit: complete, used, of a length that fits, and with what a message is filled with.
import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { readMessages } from '../../src/kit/messages/read-messages.ts'
import { categories } from '../../src/onboarding/domain/catalogue/catalogue-item.ts'
import { causeCodes } from '../../src/onboarding/domain/cause.ts'
import { Failure, type FailureVariant, failureCodes } from '../../src/onboarding/domain/failure.ts'
import { linkSteps } from '../../src/onboarding/domain/link.ts'
import { causeForUser } from '../../src/onboarding/http/locals/cause-words.ts'
import { errorLocals } from '../../src/onboarding/http/locals/error.ts'
import { testProviderLocals } from '../../src/onboarding/linking/http/locals/test-provider.ts'
import { filesBelow } from './documents.ts'

const files = readMessages()
const { en: english = { messages: {}, phrases: {} }, ...translations } = files
const languages = Object.entries(files)

/** Every key that some page asks for. */
function usedKeys(): Set<string> {
  const used = new Set([...linkSteps.map((step) => `step.${step}`), ...categories.map((code) => `category.${code}`)])
  const t = (key: string) => void used.add(key) as never as string
  for (const cause of causeCodes) causeForUser(cause, { app: '', tenant: '' }, { t })
  for (const code of failureCodes) errorLocals(new Failure(code, ''), '', { t })
  testProviderLocals('', '', { t })
  const variants: Record<FailureVariant, true> = { cookie_missing: true, other_app: true }
  for (const variant of Object.keys(variants) as FailureVariant[]) {
    errorLocals(new Failure('callback_foreign', '', { variant }), '', { t })
  }
  const sources = [...filesBelow('views', /\.ejs$/), ...filesBelow('src/onboarding', /\.ts$/)]
  const literal = /'((?:page|home|connect|picker|manage|redirect|link|cause|error|step|move)\.[A-Za-z_.]+)'/g
  const named = sources.filter(isPage).flatMap((path) => [...readFileSync(path, 'utf8').matchAll(literal)])
  return new Set([...used, ...named.map(([, key = '']) => key)])
}

/** Elsewhere the same letters name events and audit actions. */
const isPage = (path: string) =>
  /\/views\/|\/linking\/http\/|\/connections\/http\/locals\/|\/onboarding\/http\/locals\//.test(path)

test('every message that a page asks for is there, and no other', () => {
  const [used, there] = [usedKeys(), new Set(Object.keys(english.messages))]

  expect([...used].filter((key) => !there.has(key))).toEqual([])
  expect([...there].filter((key) => !used.has(key))).toEqual([])
})

test('there are the languages that the README promises', () => {
  expect(Object.keys(files).sort()).toEqual(['de', 'en', 'es', 'fr', 'ja', 'pt-BR'])
})

describe.each(Object.entries(translations))('%s', (_lang, { messages, phrases }) => {
  test('has every message, in the order of the English file', () => {
    expect(Object.keys(messages)).toEqual(Object.keys(english.messages))
  })

  test('is filled with the same values and elements as the English one', () => {
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

  test('leaves nothing in English but what is the same in both', () => {
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

  test('says what happened and what to do about a cause in two sentences', () => {
    const advice = Object.entries(messages).filter(([key]) => /^cause\..*\.advice$/.test(key))
    const sentences = (text: string) =>
      text.split(/(?<=[.!?。？])(?:\s|$)|(?<=。)/).filter((part) => part !== '').length

    expect(advice.filter(([, text]) => sentences(text) !== 2)).toEqual([])
  })

  test('has buttons that fit a phone', () => {
    const buttons = ['connect.continue', 'connect.cancel', 'redirect.continue', 'link.tryAgain', 'link.signInAs']

    expect(buttons.filter((key) => (messages[key] ?? '').replace(/\{\w+\}/g, '').length > 24)).toEqual([])
  })
})

test('every permission and app that is translated is one of the catalogue or the demo', () => {
  const sources = [...filesBelow('catalogue', /\.json$/), ...filesBelow('src/demo', /\.ts$/)]
  const asked = sources.map((path) => readFileSync(path, 'utf8')).join('\n')
  const [first] = Object.values(translations)

  expect(Object.keys(first?.phrases ?? {}).filter((phrase) => !asked.includes(phrase))).toEqual([])
})

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

const astOf = (text: string): Element[] => new IntlMessageFormat(text, 'en').getAst()

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

/** What a person is asked to allow, in the words of every provider file. */
function permissionPhrases(): string[] {
  const scopesIn = (value: unknown): string[] => {
    if (typeof value !== 'object' || value === null) return []
    const { scopes } = value as { scopes?: Array<{ description?: string }> }
    const own = Array.isArray(scopes) ? scopes.flatMap(({ description }) => description ?? []) : []
    return [...own, ...Object.values(value).flatMap(scopesIn)]
  }
  const files = filesBelow('catalogue/providers', /\.json$/)
  return [...new Set(files.flatMap((path) => scopesIn(JSON.parse(readFileSync(path, 'utf8')))))]
}

test.each(Object.entries(translations))('every permission of the catalogue is described in %s', (_, { phrases }) => {
  const described = permissionPhrases()

  expect(described.length).toBeGreaterThan(300)
  expect(described.filter((phrase) => !phrases[phrase])).toEqual([])
})

/** What users are asked for before they can connect, such as the name of their shop. */
function inputPhrases(): string[] {
  type Input = { label: string; help?: string }
  const files = filesBelow('catalogue/providers', /\.json$/).map((path) => JSON.parse(readFileSync(path, 'utf8')))
  const inputs = files.flatMap(({ inputs = {} }: { inputs?: Record<string, Input> }) => Object.values(inputs))
  return inputs.flatMap(({ label, help }) => [label, ...(help === undefined ? [] : [help])])
}

test.each(Object.entries(translations))('every field of the catalogue is described in %s', (_, { phrases }) => {
  const described = inputPhrases()

  expect(described.length).toBeGreaterThan(30)
  expect(described.filter((phrase) => !phrases[phrase])).toEqual([])
})

/** Of those that can be linked without a further word, and so are the most likely to be offered. */
function appDescriptions(): string[] {
  const files = filesBelow('catalogue/providers', /\.json$/).map((path) => JSON.parse(readFileSync(path, 'utf8')))
  const products = files.filter(({ tier }) => tier !== 'listed').flatMap(({ products }) => products)
  return products.map(({ description }: { description: string }) => description)
}

test.each(Object.entries(translations))('every app that is more than listed is described in %s', (_, { phrases }) => {
  const described = appDescriptions()

  expect(described.length).toBeGreaterThan(250)
  expect(described.filter((phrase) => !phrases[phrase])).toEqual([])
})
