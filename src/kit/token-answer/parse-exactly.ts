const literals = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

const isInexact = (literal: string) => /^-?\d+$/.test(literal) && !Number.isSafeInteger(Number(literal))

/** Like JSON.parse, but keeps integers beyond 2^53 as text: rounded IDs of two accounts could be equal. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!/\d{16}/.test(text)) return value
  return JSON.parse(text.replace(literals, (literal) => (isInexact(literal) ? `"${literal}"` : literal)))
}
