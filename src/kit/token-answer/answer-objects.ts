import { parseExactly } from './parse-exactly.ts'

export type Members = Record<string, unknown>

/** Empty for an empty text or null. Undefined if the text is neither JSON nor a form, and contains no object. */
export function answerObjects(answer: string): Members[] | undefined {
  const text = answer.trim()
  if (text === '') return []
  const parsed = parsedJson(text)
  if (parsed) return objectsIn(parsed.value)
  const embedded = embeddedObjects(text)
  if (embedded.length > 0) return embedded
  return isForm(text) ? [Object.fromEntries(new URLSearchParams(text))] : undefined
}

function parsedJson(text: string): { value: unknown } | undefined {
  try {
    return { value: parseExactly(text) }
  } catch {
    return undefined
  }
}

function objectsIn(value: unknown): Members[] | undefined {
  if (value === null) return []
  // JSON in a JSON string, from a server that encodes twice.
  if (typeof value === 'string') {
    const inner = parsedJson(value)?.value
    return isMembers(inner) ? [inner] : undefined
  }
  if (!Array.isArray(value)) return isMembers(value) ? [value] : undefined
  return value.every(isMembers) ? value : undefined
}

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** GitHub answers with a form by default. Split first: one pattern for the whole text would backtrack. */
function isForm(text: string): boolean {
  if (/[\s<>"{}]/.test(text)) return false
  const pairs = text.split('&')
  const known = pairs.findIndex((pair) => /^(?:access_token|refresh_token|error)=/.test(pair))
  return known >= 0 && pairs.slice(0, known).every((pair) => /^[\w.%-]+=/.test(pair))
}

/** Each costs an attempt to parse; a token response has few. */
const maxObjects = 100

/** Outermost objects only: the inside of a truncated object is incomplete. */
function embeddedObjects(text: string): Members[] {
  const found: Members[] = []
  for (let at = text.indexOf('{'), tries = 0; at >= 0; tries++) {
    const end = objectEnd(text, at)
    if (end === undefined || tries === maxObjects) return []
    const value = parsedJson(text.slice(at, end))?.value
    if (isMembers(value)) found.push(value)
    at = text.indexOf('{', end)
  }
  return found
}

/** The index after the closing brace; undefined if it is missing. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0
  let isString = false
  for (let at = start; at < text.length; at++) {
    const sign = text[at]
    if (isString && sign === '\\') at++
    else if (sign === '"') isString = !isString
    else if (!isString && sign === '{') depth++
    else if (!isString && sign === '}' && --depth === 0) return at + 1
  }
  return undefined
}
