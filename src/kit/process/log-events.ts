/**
 * - `error`: an operator must act on the program now.
 * - `warn`: a failure from which the program recovers, or which must be fixed elsewhere.
 * - `info`: normal operation.
 * - `debug`: verbose; off by default.
 */
type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Names are stable. The first sentence of `description` is the `msg` of a line; all of it is in the docs. */
export type LogEvents = Readonly<Record<string, { level: LogLevel; description: string }>>

/** The type argument lists the events that a writer may log. */
export type Log<Event extends string> = (event: Event, fields?: LogFields) => void

/** An allow-list: URLs, headers, bodies and error causes contain codes and tokens, so they have no field. */
export type LogFields = {
  requestId?: string | undefined
  /** The trace ID of the W3C Trace Context. */
  trace?: string | undefined
  tenant?: string | undefined
  link?: string | undefined
  connection?: string | undefined
  integration?: string | undefined
  task?: string | undefined
  erasure?: string | undefined
  webhook?: string | undefined
  delivery?: string | undefined
  workspace?: string | undefined
  /** The ID of an API key. */
  key?: string | undefined
  method?: string
  route?: string
  status?: number | undefined
  durationMs?: number
  /** Our own code, or kind and place of an error (`describeError`). */
  code?: string | undefined
  /** States or steps. */
  from?: string | undefined
  to?: string | undefined
  cause?: string | undefined
  attempts?: number
  takeovers?: number
  inSeconds?: number
  call?: string
  loop?: string
  count?: number
  port?: number
  pid?: number | undefined
  version?: string
  host?: string
  engine?: string
  /** Record and field of a value that does not decrypt, by ID. */
  context?: string
  /** A sentence written by us or by a program that we start. Never text from another server or a user. */
  detail?: string | undefined
  url?: never
}

export const kitEvents = {
  'program.started': {
    level: 'info',
    description: 'The program has started and listens on `port`.',
  },
  'program.not_ready': {
    level: 'warn',
    description:
      '`/readyz` answered 503: `detail` names what is missing. Written once, and again if something else is missing, not for every probe.',
  },
  'program.ready': { level: 'info', description: '`/readyz` answered 200 after `program.not_ready`.' },
  'program.draining': {
    level: 'info',
    description:
      'The program received SIGTERM and serves on for `DRAIN_SECONDS`. `/readyz` answers 503, so that load balancers use other processes.',
  },
  'program.stopping': {
    level: 'info',
    description: 'The program received SIGTERM or SIGINT and finishes its current work.',
  },
  'program.stopped': {
    level: 'info',
    description: 'The program has finished. A start without this line before it followed a crash or a SIGKILL.',
  },
  'migration.waits': {
    level: 'warn',
    description:
      'A migration waits for a lock, or for another process that migrates. `detail` names the database process that holds the lock: end its transaction, or wait. The migration gives up after two seconds and is retried, so requests are served meanwhile.',
  },
  'loop.turned': { level: 'debug', description: 'A background loop changed `count` rows.' },
  'loop.failed': {
    level: 'warn',
    description:
      'A turn of a background loop failed for `code`; the next turn retries. If it repeats, a store is unavailable or there is a bug.',
  },
  'background.failed': { level: 'warn', description: 'Work that outlived its request failed; the sweep retries it.' },
  'request.answered': {
    level: 'info',
    description:
      'A request was answered, or rejected with `code`. A probe that was answered 503 is included, with `not_ready`.',
  },
  'request.failed': {
    level: 'warn',
    description: 'A request was answered with a status of 500 or more; `code` says why.',
  },
  'request.unexpected': {
    level: 'error',
    description: 'A request met a bug: `code` is the kind of the error and the place in the code.',
  },
  'store.unavailable': { level: 'warn', description: 'PostgreSQL or Redis did not answer during a request.' },
  'idempotency.unstored': {
    level: 'warn',
    description:
      'A request succeeded, but its response could not be stored for its `Idempotency-Key`. A retry may execute it again.',
  },
  'api_key.exposed': {
    level: 'warn',
    description: 'An API key was sent in a URL, where browser histories and proxy logs keep it. Replace the key.',
  },
} as const satisfies LogEvents
