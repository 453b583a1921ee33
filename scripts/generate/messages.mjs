// English messages of causes and failures come from their tables. Other languages keep the keys and the order of English.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../set-up/folders.mjs'

/** @typedef {Record<string, any>} Tables */

/**
 * @param {Tables} tables
 * @returns {Record<string, string>} by path
 */
export function generateMessages(tables) {
  const english = englishMessages(tables)
  const files = languages().map((language) => {
    const messages = read(language)
    const known = Object.keys(english).filter((key) => key in messages)
    return [language, Object.fromEntries(known.map((key) => [key, messages[key]]))]
  })
  return Object.fromEntries(
    [...files, ['en', english]].map(([language, messages]) => [
      `messages/${language}.json`,
      `${JSON.stringify(messages, null, 2)}\n`,
    ]),
  )
}

/** @param {Tables} tables */
export const missingTranslations = (tables) =>
  languages().flatMap((language) => {
    const messages = read(language)
    const missing = Object.keys(englishMessages(tables)).filter((key) => !(key in messages))
    return missing.map((key) => `messages/${language}.json lacks ${key}`)
  })

const isGenerated = (/** @type {string} */ key) => /^(?:cause|error)\./.test(key)

/** @param {Tables} tables */
function englishMessages({ causes, failures, otherPageWords }) {
  const written = Object.entries(read('en')).filter(([key]) => !isGenerated(key))
  return Object.fromEntries([
    ...written,
    ...messagesOf('cause', causes),
    ...messagesOf('error', failures),
    ...wordsOf('error', otherPageWords),
  ])
}

/**
 * @param {string} prefix
 * @param {Tables} entries
 */
const messagesOf = (prefix, entries) =>
  wordsOf(
    prefix,
    Object.fromEntries(
      Object.entries(entries).flatMap(([code, { forUser }]) => (typeof forUser === 'object' ? [[code, forUser]] : [])),
    ),
  )

/**
 * @param {string} prefix
 * @param {Record<string, Record<string, string>>} words
 */
const wordsOf = (prefix, words) =>
  Object.entries(words).flatMap(([code, parts]) =>
    Object.entries(parts).map(([part, text]) => [`${prefix}.${code}.${part}`, text]),
  )

const languages = () =>
  readdirSync(join(root, 'messages'))
    .filter((name) => name.endsWith('.json') && name !== 'en.json')
    .map((name) => name.replace('.json', ''))

/**
 * @param {string} language
 * @returns {Record<string, string>}
 */
const read = (language) => JSON.parse(readFileSync(join(root, `messages/${language}.json`), 'utf8'))
