// Generates the Python client's types and methods, and its synchronous half from the asynchronous one.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateOperations, generateResources } from './generate-resources.mjs'
import { generateTypes } from './generate-types.mjs'

/** @typedef {import('./generate-resources.mjs').ApiDocument} ApiDocument */

const folder = fileURLToPath(new URL('../causeway/_async/', import.meta.url))
const resources = 'resources.py'

/**
 * @param {ApiDocument} document
 * @param {readonly import('./generate-resources.mjs').NamedRoute[]} routes
 * @returns {Record<string, string>} by path below `packages/python/causeway`
 */
export function generatePython(document, routes) {
  const { text, typeOfParameter } = generateTypes(document)
  const methods = generateResources(document, routes, typeOfParameter)
  const written = readdirSync(folder).filter((file) => file.endsWith('.py') && file !== resources)
  const files = written.map((file) => [file, synchronous(readFileSync(`${folder}${file}`, 'utf8'), file)])
  return {
    'types.py': text,
    '_operations.py': generateOperations(document),
    [`_async/${resources}`]: methods,
    [`_sync/${resources}`]: synchronous(methods),
    ...Object.fromEntries(files.map(([file, derived]) => [`_sync/${file}`, derived])),
  }
}

/** @type {Array<[RegExp, string]>} */
const replacements = [
  [/^import asyncio\n/gm, ''],
  [/\basyncio\.sleep\b/g, 'time.sleep'],
  [/\basync (?=def|for|with)/g, ''],
  [/\bawait /g, ''],
  [/\bAwaitable\[([\w.]+)\]/g, '$1'],
  [/, Awaitable\b/g, ''],
  [/\bAwaitable, /g, ''],
  [/\bAsync(?=[A-Z])/g, ''],
  [/__a(?=iter__|enter__|exit__)/g, '__'],
  [/\ba(?=(?:close|read|iter_bytes)\b)/g, ''],
  [/\bhandle_async_request\b/g, 'handle_request'],
]

/**
 * @param {string} text
 * @param {string} [source]
 */
function synchronous(text, source) {
  const derived = replacements.reduce((result, [pattern, by]) => result.replaceAll(pattern, by), text)
  return source && derived
    ? `# Generated from _async/${source} by \`npm run generate\`. Not to be edited.\n${derived}`
    : derived
}
