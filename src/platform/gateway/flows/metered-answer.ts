import { parseBounded } from '../domain/bounded-json.ts'
import { type AnswerUsage, isUsageChunk, noUsage, withEvent, withReport } from '../domain/model-usage.ts'
import type { Bytes } from '../domain/workload.ts'
import { withCopy } from './copy-answer.ts'

/** So much of an answer is read for its usage, and of a longer one the end, where embeddings have it. */
const largestRead = 8 * 1024 * 1024
const largestEvent = 1024 * 1024

/** So much is still read for a caller that hung up. Its answer may take no more time than the signal leaves it. */
const largestUnattended = 4 * 1024 * 1024

type Report = (usage: AnswerUsage) => void
type Reading = { contentType: string; hidesUsage: boolean; secret: string | undefined; report: Report }

/**
 * Passes an answer on without the secret, and reports once what it says of its usage, before its end or as far as it
 * came. The usage stands at the end, so an answer is also read there for a caller that hung up before.
 */
export function meteredAnswer(body: Bytes, { contentType, hidesUsage, secret, report }: Reading): Bytes {
  const clean = secret === undefined ? body : withoutSecret(body, secret)
  const isStream = /^text\/event-stream\b/i.test(contentType)
  return readToEnd(isStream ? meteredEvents(clean, hidesUsage, report) : meteredWhole(clean, report))
}

async function* readToEnd(body: Bytes): Bytes {
  const source = body[Symbol.asyncIterator]()
  let isOver = false
  try {
    for (;;) {
      isOver = true // unless it goes on: what breaks off here is over as well
      const { done, value } = await source.next()
      if (done) return
      isOver = false
      yield value
    }
  } finally {
    if (!isOver) await readRest(source)
  }
}

/** Nobody is left who could be told that it broke off. */
async function readRest(source: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    let size = 0
    while (size <= largestUnattended) {
      const { done, value } = await source.next()
      if (done) return
      size += value.length
    }
    await source.return?.()
  } catch {
    // It was reported as far as it came.
  }
}

async function* meteredWhole(body: Bytes, report: Report): Bytes {
  const { passing, end } = withEnd(body)
  let usage = noUsage
  try {
    yield* withCopy(passing, largestRead, async ({ text, length }) => {
      const answer = parsed(length <= largestRead ? text : usageAtEnd(end()))
      usage = { ...noUsage, reported: withReport(noUsage.reported, answer), isWhole: true }
    })
  } finally {
    report(usage)
  }
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

async function* meteredEvents(body: Bytes, hidesUsage: boolean, report: Report): Bytes {
  let usage = noUsage
  const passed = (event: string) => {
    const data = parsed(dataOf(event))
    usage = withEvent(usage, data)
    return !(hidesUsage && isUsageChunk(data))
  }
  try {
    for await (const events of eventsOf(body)) {
      const shown = events.filter(passed).join('')
      if (shown) yield Buffer.from(shown, 'latin1')
    }
    usage = { ...usage, isWhole: true }
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

/** Returns undefined for what is not JSON, such as the `[DONE]` at the end of a stream, or beyond the bounds of a body. */
function parsed(text: string): unknown {
  try {
    return parseBounded(text)
  } catch {
    return undefined
  }
}
