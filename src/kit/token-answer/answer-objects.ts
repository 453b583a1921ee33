// Finds the objects in the text of a token answer: as JSON, as a form, or as JSON with something around it.

export type Members = Record<string, unknown>

/** Undefined if the text is nothing of the kind; empty if it is, and says nothing. */
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
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function objectsIn(value: unknown): Members[] | undefined {
  if (value === null) return []
  // JSON in a JSON string, as when a server encodes twice.
  if (typeof value === 'string') return isMembers(parsedJson(value)?.value) ? [JSON.parse(value)] : undefined
  if (!Array.isArray(value)) return isMembers(value) ? [value] : undefined
  return value.every(isMembers) ? value : undefined
}

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * GitHub answers so where nobody asks for JSON. One of the members that RFC 6749 knows has to be there. Not one pattern
 * for all of it: that would try every member as the last, over and over.
 */
function isForm(text: string): boolean {
  if (/[\s<>"{}]/.test(text)) return false
  const pairs = text.split('&')
  const known = pairs.findIndex((pair) => /^(?:access_token|refresh_token|error)=/.test(pair))
  return known >= 0 && pairs.slice(0, known).every((pair) => /^[\w.%-]+=/.test(pair))
}

/** A page with more of them than this is no answer to a token request, and each costs a try to parse it. */
const mostObjects = 100

/** Outermost objects alone: what lies inside one that breaks off is only a part of what was said. */
function embeddedObjects(text: string): Members[] {
  const found: Members[] = []
  for (let at = text.indexOf('{'), tries = 0; at >= 0; tries++) {
    const end = objectEnd(text, at)
    if (end === undefined || tries === mostObjects) return []
    const value = parsedJson(text.slice(at, end))?.value
    if (isMembers(value)) found.push(value)
    at = text.indexOf('{', end)
  }
  return found
}

/** Behind the brace that closes the one at `start`; undefined if none does. */
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
