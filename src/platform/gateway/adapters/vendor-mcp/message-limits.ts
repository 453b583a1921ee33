// Limits the messages of a vendor's server: parsing costs far more than sending, and we answer each of its requests.
import { ThirdPartyError } from '../../domain/connection.ts'
import { messageRate } from '../../domain/message-rate.ts'

const nowMs = () => performance.now()

/** Requests by the server; pings are the only expected ones. */
export const askedInReturn = () => messageRate({ burst: 20, perSecond: 1 }, nowMs)

export const resumptions = () => messageRate({ burst: 20, perSecond: 2 }, nowMs)

const tooManyMessages = () => new ThirdPartyError('It sent too many messages.')

const maxMessagesPerText = 100

export function assertFewMessages(answer: unknown): void {
  if (Array.isArray(answer) && answer.length > maxMessagesPerText) throw tooManyMessages()
}

const maxUnknownLines = 1_000

const lf = 10
const cr = 13

/**
 * Converts line ends to LF. Throws after too many unknown lines or events: the parser creates an error with a stack for
 * each unknown line, so a megabyte of them blocks the process for seconds. Carriage returns are similarly slow.
 */
export function eventLines(): (chunk: Buffer) => Buffer {
  let isAfterReturn = false
  let isWithinLine = false
  const judge = judgeOfLines()
  return (chunk) => {
    const piece = withLineFeeds(isAfterReturn && chunk[0] === lf ? chunk.subarray(1) : chunk)
    isAfterReturn = chunk.at(-1) === cr
    let start = isWithinLine ? piece.indexOf(lf) + 1 : 0
    if (isWithinLine && start === 0) return piece
    for (let end = piece.indexOf(lf, start); end !== -1; end = piece.indexOf(lf, start)) {
      judge(piece, start, end)
      start = end + 1
    }
    isWithinLine = start < piece.length
    return piece
  }
}

function judgeOfLines() {
  let unknown = 0
  const isInRate = messageRate({ burst: 2_000, perSecond: 50 }, nowMs)
  return (piece: Buffer, start: number, end: number): void => {
    if (start === end && !isInRate()) throw tooManyMessages()
    if (!isKnown(piece, start, end) && ++unknown > maxUnknownLines)
      throw new ThirdPartyError('It sent lines that are not server-sent events.')
  }
}

const withLineFeeds = (chunk: Buffer): Buffer =>
  chunk.includes(cr) ? Buffer.from(chunk.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1') : chunk

const known = /^(data:|event:|id:|:|$)/

/** `retry` is not listed: parsers create an error if its value is not a number. */
const isKnown = (piece: Buffer, start: number, end: number): boolean =>
  known.test(piece.toString('latin1', start, Math.min(end, start + 6)))
