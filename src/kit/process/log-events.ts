// What a log line can be: an event from a closed list, with fields from a closed list.

/**
 * - `error`: somebody has to act on the program itself, now.
 * - `warn`: something did not go as it should. The program goes on, by itself or after somebody has acted elsewhere.
 * - `info`: the story as it should go.
 * - `debug`: what would drown the story.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** The name is for programs and never changes its meaning; the words are for people. */
export type LogEvents = Readonly<Record<string, readonly [level: LogLevel, words: string]>>

/** Takes only the events in its type argument: a writer's type says what it may log. */
export type Log<Event extends string> = (event: Event, fields?: LogFields) => void

/**
 * What a log line may carry. It is an allow-list on purpose: URLs, headers, bodies and the causes of
 * errors hold authorization codes and tokens, so no field exists to put them in.
 */
export type LogFields = {
  requestId?: string | undefined
  /** The trace id of the W3C Trace Context. */
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
  /** The id of an API key. */
  key?: string | undefined
  method?: string
  route?: string
  status?: number | undefined
  durationMs?: number
  /** Our own code, or the kind of an error and where it was thrown (`describeError`). */
  code?: string | undefined
  /** What something came from, and what it came to: states and steps. */
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
  signal?: string | undefined
  version?: string
  host?: string
  /** Which value it is that does not decrypt: the record and the field, by their ids. */
  context?: string
  /** A sentence of ours for people, or of a program that we start. Never what another server or a user wrote. */
  detail?: string | undefined
  url?: never
}

/** What programs of any kind say. */
export const kitEvents = {
  'program.started': ['info', 'the program has started'],
  'program.not_ready': ['warn', 'the program lacks what it needs, and answers probes that it is not ready'],
  'program.ready': ['info', 'the program has what it needs again'],
  'program.stopping': ['info', 'the program was told to stop, and finishes what it is at'],
  'program.stopped': ['info', 'the program has stopped'],
  'process.died': ['error', 'a process died and is replaced'],
  'loop.turned': ['debug', 'a loop found something to do'],
  'loop.failed': ['warn', 'a loop failed and is tried again'],
  'background.failed': ['warn', 'work in the background stopped'],
  'request.answered': ['info', 'a request was answered'],
  'request.failed': ['warn', 'a request was answered with a server error'],
} as const satisfies LogEvents

export type KitEvent = keyof typeof kitEvents
