import type { Cause } from './cause.ts'

/** A server we depend on did not do its part: why, and whether trying again can help. */
export class Trouble extends Error {
  constructor(
    readonly why: Cause,
    readonly retry: { afterSeconds?: number | undefined } | undefined = undefined,
    /** Which part of the matter it was; never what the other side wrote. */
    readonly note: string = '',
  ) {
    super(`${why}${note && `: ${note}`}`)
  }
}

/** What the audit says of it. */
export const troubleFacts = ({ why, note }: Trouble) => ({ cause: why, detail: note || undefined })

/** A function that was there before and refuses to answer is given a few tries. */
const fewTries = 3

/** A new one may take minutes to start. After these tries, some four minutes, somebody has to look at it. */
const manyTries = 10

export const isPastPatience = ({ attempts }: { attempts: number }, { why }: Trouble): boolean =>
  why === 'function_failed' && attempts >= manyTries

/** Whether what was begun with a connection has to be undone. */
export const isFinal = ({ attempts }: { attempts: number }, { retry, why }: Trouble): boolean =>
  !retry || (why === 'function_failed' && attempts >= fewTries)
