import { isUsageChunk, type ReportedUsage, withReport } from '../domain/model-usage.ts'
import type { Bytes } from '../domain/workload.ts'
import { withCopy } from './copy-answer.ts'

/** So much of an answer is read for its usage; a longer one passes unread. */
const largestRead = 8 * 1024 * 1024
const largestEvent = 1024 * 1024

type Reading = {
  contentType: string
  hidesUsage: boolean
  secret: string | undefined
  report(usage: ReportedUsage): void
}

/** Passes an answer on without the secret, and reports what it says of its usage before its end. */
export function meteredAnswer(body: Bytes, { contentType, hidesUsage, secret, report }: Reading): Bytes {
  const clean = secret === undefined ? body : withoutSecret(body, secret)
  if (/^text\/event-stream\b/i.test(contentType)) return meteredEvents(clean, hidesUsage, report)
  return withCopy(clean, largestRead, async ({ text, length }) => {
    if (length <= largestRead) report(withReport({} as ReportedUsage, parsed(text)))
  })
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
  let waiting = ''
  try {
    for await (const chunk of body) {
      const events = (waiting + Buffer.from(chunk).toString('latin1')).split(/(?<=\r?\n\r?\n)/)
      waiting = /\n\r?\n$/.test(events.at(-1) ?? '') ? '' : (events.pop() ?? '')
      if (waiting.length > largestEvent) {
        events.push(waiting)
        waiting = ''
      }
      const passed = events.filter((event) => {
        const data = parsed(dataOf(event))
        usage = withReport(usage, data)
        return !(hidesUsage && isUsageChunk(data))
      })
      if (passed.length > 0) yield Buffer.from(passed.join(''), 'latin1')
    }
    if (waiting) yield Buffer.from(waiting, 'latin1')
  } finally {
    report(usage)
  }
}

const dataOf = (event: string): string =>
  event
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    .join('\n')

/** Returns undefined for what is no JSON, such as the `[DONE]` at the end of a stream. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
