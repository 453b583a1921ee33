// What a store says is read here, once: everybody else looks at the class of an error.

/** The store is away, or cannot do its part at the moment: to ask again later may help. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly code: string | undefined

  constructor(cause: Error) {
    super(cause.message, { cause })
    this.code = codeOf(cause)
  }
}

/** A value that the store cannot hold, such as a zero byte in a text or a number out of range. */
export class ValueUnstorable extends Error {
  override readonly name = 'ValueUnstorable'
  readonly code: string

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

// The classes 08, 53, 57, 58 and XX are the server's own (a file that cannot grow is XX000), 25006 is a standby that
// does not take writes yet, and 42501 a table, as the audit, whose right to be written was taken away.
const postgresAway = /^(08|25006|42501|53|57|58|XX)/
const networkAway = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/
/** The driver has no codes for these. */
const postgresWords = /timeout exceeded|Connection terminated|Query read timeout|is not queryable/
const redisWords =
  /Connection is closed|Stream isn't writeable|Cluster isn't ready|Command timed out|max retries per request|LOADING|READONLY|OOM command not allowed|CLUSTERDOWN|MISCONF|EXECABORT/

/** The class 22 is a value that PostgreSQL cannot hold. */
const unstorable = /^22[0-9A-Z]{3}$/

/** Returns the error itself if it is neither: a broken constraint, for example, is for whoever asked. */
export function classifyPostgresError(error: Error): Error {
  const code = codeOf(error) ?? ''
  if (unstorable.test(code)) return new ValueUnstorable(error.message, code, { cause: error })
  const isAway = postgresAway.test(code) || networkAway.test(code) || postgresWords.test(error.message)
  return isAway && !(error instanceof StoreUnavailable) ? new StoreUnavailable(error) : error
}

export function classifyRedisError(error: Error): Error {
  const isAway = networkAway.test(codeOf(error) ?? '') || redisWords.test(error.message)
  return isAway && !(error instanceof StoreUnavailable) ? new StoreUnavailable(error) : error
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
