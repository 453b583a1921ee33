import type { Log } from '../../../kit/process/log-events.ts'
import type { PlatformEvent } from './log-events.ts'

/** Encrypted positions, bound to the query that they were created for. */
type Cursors = {
  seal(position: unknown, query: string, now: Date): string
  /** Undefined if tampered with, bound to another query, expired or malformed. */
  open(cursor: string, query: string, now: Date): unknown
}

export type SharedPorts = { cursors: Cursors; log: Log<PlatformEvent>; now: () => Date }
