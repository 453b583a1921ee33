// Parsers of server-sent events make an error, with its stack, of each line that they do not know, whoever listens:
// a megabyte of such lines keeps a process busy for many seconds. One with carriage returns, of which they look for the
// next one at each line, is little better.
import { ThirdPartyError } from '../../domain/connection.ts'
import { streamedEvents, tooManyMessages } from './message-limits.ts'

/** More than any honest stream has of them, the pauses that it asks for included. */
const mostUnknown = 1_000

const lf = 10
const cr = 13

/**
 * The pieces of one stream, with lines that end in a line feed alone. Throws when too many of them mean nothing, or too
 * many events come.
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
  const isInRate = streamedEvents()
  return (piece: Buffer, start: number, end: number): void => {
    // An empty line ends an event.
    if (start === end && !isInRate()) throw tooManyMessages()
    if (!isKnown(piece, start, end) && ++unknown > mostUnknown)
      throw new ThirdPartyError('It sent lines that are not server-sent events.')
  }
}

const withLineFeeds = (chunk: Buffer): Buffer =>
  chunk.includes(cr) ? Buffer.from(chunk.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1') : chunk

const known = /^(data:|event:|id:|:|$)/

/** The pause that a server asks for is not among them: parsers complain of one that is no number. */
const isKnown = (piece: Buffer, start: number, end: number): boolean =>
  known.test(piece.toString('latin1', start, Math.min(end, start + 6)))
