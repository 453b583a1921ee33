import { parseBounded } from '../domain/bounded-json.ts'
import { type AnswerUsage, isUsageChunk, noUsage, reportIn, withEvent } from '../domain/model-usage.ts'
import type { Bytes } from '../domain/workload.ts'
import { withCopy } from './copy-answer.ts'

/** Of a longer response only the end is read for the usage, where embeddings have it. */
const maxReadBytes = 8 * 1024 * 1024
const maxEventBytes = 1024 * 1024

/** Read after the caller hung up, within the grace period of its signal. */
const maxUnattendedBytes = 4 * 1024 * 1024

type Report = (usage: AnswerUsage) => void
type Reading = { contentType: string; hidesUsage: boolean; secret: string | undefined; report: Report }

/** Usage is at the end, so a response is read to its end even if the caller hung up. */
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
      isOver = true // stays true if the source fails
      const { done, value } = await source.next()
      if (done) return
      isOver = false
      yield value
    }
  } finally {
    if (!isOver) await readRest(source)
  }
}

async function readRest(source: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    let size = 0
    while (size <= maxUnattendedBytes) {
      const { done, value } = await source.next()
      if (done) return
      size += value.length
    }
    await source.return?.()
  } catch {
    // The usage so far has been reported.
  }
}

async function* meteredWhole(body: Bytes, report: Report): Bytes {
  const { passing, end } = withEnd(body)
  let usage = noUsage
  try {
    yield* withCopy(passing, maxReadBytes, async ({ text, length }) => {
      const answer = parsed(length <= maxReadBytes ? text : usageAtEnd(end()))
      usage = { ...noUsage, reported: { ...noUsage.reported, ...reportIn(answer) }, isWhole: true }
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

function usageAtEnd(end: string): string {
  const usage = /"usage"\s*:\s*(\{[^{}]*\})\s*\}\s*$/.exec(end)?.[1]
  return usage === undefined ? '' : `{"usage":${usage}}`
}

/** Works on bytes. Holds back only what may be the beginning of a secret split between two chunks. */
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

/** Scans each chunk once, because the sender chooses its size. Events over the limit are yielded in parts. */
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
    if (size > maxEventBytes) yield [take()]
  }
  if (size > 0) yield [take()]
}

const lastEnd = (text: string): number =>
  Math.max(...['\n\n', '\n\r\n'].map((empty) => (text.includes(empty) ? text.lastIndexOf(empty) + empty.length : 0)))

const dataOf = (event: string): string =>
  event
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    .join('\n')

function parsed(text: string): unknown {
  try {
    return parseBounded(text)
  } catch {
    return undefined
  }
}
