// A few megabytes of `{},` are millions of objects, and parsing them blocks the process for seconds. Counting the parts
// first takes a fraction of that time.

const maxContainers = 100_000
const maxCommas = 1_000_000
/** JSON.parse accepts deeper values than JSON.stringify. */
const maxDepth = 500

export class TooManyParts extends Error {}

export function parseBounded(text: string): unknown {
  assertFewParts(text)
  return JSON.parse(text)
}

const [quote, comma, openArray, backslash, closeArray, openObject, closeObject] = [34, 44, 91, 92, 93, 123, 125]

function assertFewParts(text: string): void {
  let [containers, commas, depth] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === quote) at = endOfString(text, at)
    else if (sign === comma) commas++
    else if (sign === closeArray || sign === closeObject) depth--
    else if (sign === openArray || sign === openObject) {
      containers++
      depth++
    }
    if (containers > maxContainers || commas > maxCommas || depth > maxDepth) throw new TooManyParts()
  }
}

/** Skips strings with indexOf: most of a large text is a few long strings. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text.charCodeAt(before - 1) === backslash) before--
    if ((at - before) % 2 === 0) return at
  }
  return text.length
}
