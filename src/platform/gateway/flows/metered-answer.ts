import { parseBounded } from '../domain/bounded-json.ts'
import { isUsageChunk, type ReportedUsage, withReport } from '../domain/model-usage.ts'
import type { Bytes } from '../domain/workload.ts'
import { withCopy } from './copy-answer.ts'

/** So much of an answer is read for its usage, and of a longer one the end, where embeddings have it. */
const largestRead = 8 * 1024 * 1024
const largestEvent = 1024 * 1024

type Report = (usage: ReportedUsage) => void
type Reading = { contentType: string; hidesUsage: boolean; secret: string | undefined; report: Report }

/** Passes an answer on without the secret, and reports what it says of its usage before its end. */
export function meteredAnswer(body: Bytes, { contentType, hidesUsage, secret, report }: Reading): Bytes {
  const clean = secret === undefined ? body : withoutSecret(body, secret)
  if (/^text\/event-stream\b/i.test(contentType)) return meteredEvents(clean, hidesUsage, report)
  const { passing, end } = withEnd(clean)
  return withCopy(passing, largestRead, async ({ text, length }) => {
    report(withReport({} as ReportedUsage, parsed(length <= largestRead ? text : usageAtEnd(end()))))
  })
}

const endBytes = 1024

function withEnd(body: Bytes): { passing: Bytes; end(): string } {
  let end = Buffer.alloc(0)
  async function* passing(): Bytes {
    for await (const chunk of body) {
      end = Buffer.concat([end, chunk.subarray(-endBytes)]).subarray(-endBytes)
      yield chunk
    }
  }
  return { passing: passing(), end: () => end.toString('latin1') }
}

/** As JSON by itself; empty if an answer does not end with it. */
function usageAtEnd(end: string): string {
  const usage = /"usage"\s*:\s*(\{[^{}]*\})\s*\}\s*$/.exec(end)?.[1]
  return usage === undefined ? '' : `{"usage":${usage}}`
}

/** Byte for byte, also where a secret comes in two pieces: only what may be its beginning waits for the next one. */
async function* withoutSecret(body: Bytes, secret: string): Bytes {
  const hidden = Buffer.from(secret).toString('latin1')
  let held = ''
  for await (const chunk of body) {
    const text = (held + Buffer.from(chunk).toString('latin1')).replaceAll(hidden, '[secret]')
    held = beginningAtEnd(text, hidden)
    const rest = text.slice(0, text.length - held.length)
    if (rest) yield Buffer.from(rest, 'latin1')
  }
  if (held) yield Buffer.from(held, 'latin1')
}

function beginningAtEnd(text: string, word: string): string {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(word.slice(0, length))) return word.slice(0, length)
  }
  return ''
}

/** Event by event; what a caller that hung up did not wait for is reported as far as it is known. */
async function* meteredEvents(body: Bytes, hidesUsage: boolean, report: Reading['report']): Bytes {
  let usage = {} as ReportedUsage
  const passed = (event: string) => {
    const data = parsed(dataOf(event))
    usage = withReport(usage, data)
    return !(hidesUsage && isUsageChunk(data))
  }
  try {
    for await (const events of eventsOf(body)) {
      const shown = events.filter(passed).join('')
      if (shown) yield Buffer.from(shown, 'latin1')
    }
  } finally {
    report(usage)
  }
}

/** Whole events as they arrive, and pieces of what is too large for one. A piece is looked through once: its sender chooses how small it is. */
async function* eventsOf(body: Bytes): AsyncIterable<string[]> {
  let waiting: string[] = []
  let size = 0
  let seam = ''
  const keep = (piece: string) => {
    waiting.push(piece)
    size += piece.length
    seam = (seam + piece).slice(-2)
  }
  const take = (): string => {
    const text = waiting.join('')
    waiting = []
    size = 0
    seam = ''
    return text
  }
  for await (const chunk of body) {
    const text = Buffer.from(chunk).toString('latin1')
    const end = lastEnd(seam + text) - seam.length
    if (end > 0) {
      keep(text.slice(0, end))
      yield take().split(/(?<=\n\r?\n)/)
    }
    keep(end > 0 ? text.slice(end) : text)
    if (size > largestEvent) yield [take()]
  }
  if (size > 0) yield [take()]
}

/** Where the last event ends: behind an empty line. 0 if none does. */
const lastEnd = (text: string): number =>
  Math.max(...['\n\n', '\n\r\n'].map((empty) => (text.includes(empty) ? text.lastIndexOf(empty) + empty.length : 0)))

const dataOf = (event: string): string =>
  event
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    .join('\n')

/** Returns undefined for what is no JSON, such as the `[DONE]` at the end of a stream, and for what nobody would write. */
function parsed(text: string): unknown {
  try {
    return parseBounded(text)
  } catch {
    return undefined
  }
}
