import { createRequire } from 'node:module'
import pino from 'pino'
import type Pretty from 'pino-pretty'
import { ignoreError } from './ignore-error.ts'
import type { Log, LogEvents } from './log-events.ts'
import { thrownAt } from './thrown-at.ts'

export type { Log, LogFields } from './log-events.ts'

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const

export function createLog<Events extends LogEvents>(
  name: string,
  level: (typeof logLevels)[number],
  events: Events,
  output: Output = 'stdout',
): Log<keyof Events & string> {
  const destination = process[output].isTTY ? forPeople(output) : forPrograms(output)
  const logger = pino(
    { name, level, base: { name }, formatters: { level: (label) => ({ level: label }) } },
    destination,
  )
  const lines = new Map(
    Object.entries(events).map(([event, { level, description }]) => [event, [level, messageOf(description)] as const]),
  )
  return (event, fields) => {
    const [severity, message] = lines.get(event) ?? ['error', '']
    logger[severity]({ event, ...fields }, message)
  }
}

/** The first sentence, without Markdown. */
const messageOf = (description: string): string =>
  description
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('`', '')
    .replace(/\. .*/, '.')

/** Commands print their results to stdout and log to stderr. */
type Output = 'stdout' | 'stderr'

const streams: { [O in Output]?: pino.DestinationStream } = {}

/** Shared by all logs of the process. */
function forPrograms(output: Output): pino.DestinationStream {
  streams[output] ??= batched(unbroken(process[output].fd))
  return streams[output]
}

const maxDelayMs = 100
const maxBatchLength = 8_192
const maxBufferLength = 1_048_576

/** Buffers a part of the log while it can't be written, such as on a full disk. */
function unbroken(dest: number) {
  const destination = pino.destination({ dest, sync: true, maxLength: maxBufferLength })
  destination.on('error', ignoreError('there is no other output'))
  return destination
}

/** Batches lines, because a write costs as much as ten. Synchronous: the buffer of pino may hang at exit. */
function batched(destination: pino.DestinationStream): pino.DestinationStream {
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  const send = () => {
    clearTimeout(timer)
    timer = undefined
    const text = lines
    lines = ''
    if (text) destination.write(text)
  }
  process.once('exit', send)
  return {
    write(line) {
      lines += line
      if (lines.length >= maxBatchLength) send()
      else timer ??= setTimeout(send, maxDelayMs).unref()
    },
  }
}

/** Loaded only for a terminal, to keep the start of services fast. */
function forPeople(output: Output): pino.DestinationStream {
  const pretty: typeof Pretty = createRequire(import.meta.url)('pino-pretty')
  return pretty({ destination: process[output].fd, colorize: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname' })
}

/** Kind and place of an unexpected error, or the store that failed. Without its message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  // The place where a lost connection was noticed explains nothing.
  if ('store' in error && typeof error.store === 'string') return `${error.name} ${error.store}${code}`
  const place = thrownAt(error)
  return `${error.name}${code}${place ? ` ${place}` : ''}`
}
