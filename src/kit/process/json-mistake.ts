// Where a text stops being JSON. The engine's own message tells that not always, and quotes the text, which may be a secret.

type Expectation = 'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end' | 'nothing'

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that JSON forbids in a string (RFC 8259, section 7).
const string = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const space = /[\t\n\r ]*/y

/** Line and column, both from 1. The end of the text if something is missing there. */
export function jsonMistake(text: string): { line: number; column: number } {
  const lines = text.slice(0, mistakeAt(text)).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

function mistakeAt(text: string): number {
  const open: string[] = []
  let expected: Expectation | undefined = 'value'
  let at = endOf(space, text, 0)
  while (at < text.length) {
    const end = tokenEnd(text, at)
    expected = end === at ? undefined : next(expected, text.slice(at, at + 1), open)
    if (!expected) return at
    at = endOf(space, text, end)
  }
  return at
}

/** The same position if no token begins there. */
function tokenEnd(text: string, at: number): number {
  if ('{}[],:'.includes(text[at] ?? ' ')) return at + 1
  return endOf(text[at] === '"' ? string : scalar, text, at)
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** `sign`: how the token begins. Undefined if it may not stand there. */
function next(expected: Expectation, sign: string, open: string[]): Expectation | undefined {
  if (sign === '}' || sign === ']') return closed(expected, sign, open)
  switch (expected) {
    case 'comma_or_end':
      return sign === ',' ? (open.at(-1) === '}' ? 'key' : 'value') : undefined
    case 'colon':
      return sign === ':' ? 'value' : undefined
    case 'key':
    case 'key_or_end':
      return sign === '"' ? 'colon' : undefined
    case 'nothing':
      return undefined
    default:
      return begun(sign, open)
  }
}

function begun(sign: string, open: string[]): Expectation | undefined {
  if (sign === ',' || sign === ':') return undefined
  if (sign !== '{' && sign !== '[') return after(open)
  open.push(sign === '{' ? '}' : ']')
  return sign === '{' ? 'key_or_end' : 'value_or_end'
}

function closed(expected: Expectation, sign: string, open: string[]): Expectation | undefined {
  const mayEnd = ['comma_or_end', sign === '}' ? 'key_or_end' : 'value_or_end'].includes(expected)
  if (!mayEnd || open.at(-1) !== sign) return undefined
  open.pop()
  return after(open)
}

const after = (open: readonly string[]): Expectation => (open.length > 0 ? 'comma_or_end' : 'nothing')
