import { createRequire } from 'node:module'
import pino from 'pino'
import type Pretty from 'pino-pretty'
import { ignoreError } from './ignore-error.ts'

/**
 * What a log line may carry. It is an allow-list on purpose: URLs, headers, bodies and the causes of
 * errors hold authorization codes and tokens, so no field exists to put them in.
 */
export type LogFields = {
  requestId?: string | undefined
  method?: string
  route?: string
  status?: number
  durationMs?: number
  code?: string | undefined
  step?: string
  loop?: string
  tenant?: string | undefined
  link?: string | undefined
  connection?: string | undefined
  workspace?: string | undefined
  /** The id of an API key. */
  key?: string
  /** Which value it is that does not decrypt: the record and the field, by their ids. */
  context?: string
  count?: number
  url?: never
}

export type Log = Record<'debug' | 'info' | 'warn' | 'error', (message: string, fields?: LogFields) => void>

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const

export function createLog(name: string, level: (typeof logLevels)[number]): Log {
  const destination = process.stdout.isTTY ? forPeople() : forPrograms()
  const logger = pino({ name, level, base: { name } }, destination)
  const at =
    (severity: keyof Log) =>
    (message: string, fields: LogFields = {}) =>
      logger[severity](fields, message)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
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
  const place = error.stack?.split('\n').find((line) => line.includes('/dist/') || line.includes('/src/'))
  return `${error.name}${code}${place ? ` ${place.trim().replace(/\(?file:.*\/(dist|src)\//, '')}` : ''}`
}
