import type { WhoseMove } from '../causes/cause-entry.ts'

export type PageWords = { title: string; detail: string; advice: string }

export type FailureEntry = {
  status: number
  /** The same in every occurrence (RFC 9457). */
  title: string
  whoseMove: WhoseMove
  explanation: string
  forSupport?: { title: string; advice: string }
  forUser?: PageWords | string
}
