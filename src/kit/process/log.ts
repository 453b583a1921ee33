import { createRequire } from 'node:module'
import pino from 'pino'
import type Pretty from 'pino-pretty'
import { ignoreError } from './ignore-error.ts'
import type { Log, LogEvents } from './log-events.ts'
import { thrownAt } from './thrown-at.ts'

export type { Log, LogFields } from './log-events.ts'

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** Says each event on the level and in the words that the table has for it. */
export function createLog<Events extends LogEvents>(
  name: string,
  level: (typeof logLevels)[number],
  events: Events,
): Log<keyof Events & string> {
  const destination = process.stdout.isTTY ? forPeople() : forPrograms()
  const logger = pino(
    { name, level, base: { name }, formatters: { level: (label) => ({ level: label }) } },
    destination,
  )
  return (event, fields) => {
    const [severity, words] = events[event] as LogEvents[string]
    logger[severity]({ event, ...fields }, words)
  }
}

let standardOutput: pino.DestinationStream | undefined

/** One for the process, however many logs it has. */
const forPrograms = () => (standardOutput ??= batched(unbroken()))

const gatherMs = 100
const gatherLength = 8_192
const keptLength = 1_048_576

/** A log that has nowhere to go (a full disk, say) is kept for later in part; it never breaks what it tells about. */
function unbroken() {
  const destination = pino.destination({ dest: 1, sync: true, maxLength: keptLength })
  destination.on('error', ignoreError('there is no other place to tell it'))
  return destination
}

/**
 * Lines go out together, because a write costs as much as ten lines, and each write is done before the next begins: one
 * that another thread still had in hand would end up behind the lines that a process writes as it ends. The library
 * could gather by itself, but then hangs at the end where nobody reads any more.
 */
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
      if (lines.length >= gatherLength) send()
      else timer ??= setTimeout(send, gatherMs).unref()
    },
  }
}

/** Loaded only for a terminal: a service logs to a pipe, and starts without it. */
function forPeople(): pino.DestinationStream {
  const pretty: typeof Pretty = createRequire(import.meta.url)('pino-pretty')
  return pretty({ colorize: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname' })
}

/** The kind of an unexpected error and where it was thrown: enough to find it, without what it carries. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  const place = thrownAt(error)
  return `${error.name}${code}${place ? ` ${place}` : ''}`
}
