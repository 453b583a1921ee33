import { connectionCode } from '../fetch/connection-problem.ts'

/** The store is unavailable. A retry may succeed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly code: string | undefined

  /** `store` is its product and host, for the log. */
  constructor(
    cause: Error,
    readonly store?: string,
    code = codeOf(cause),
  ) {
    super(cause.message, { cause })
    this.code = code
  }
}

/** Host and port without credentials. Empty if the address is malformed. */
export function storeHost(url: string): string {
  if (URL.canParse(url)) return new URL(url).host
  const [, hosts = ''] = /^rediss?\+\w+:\/\/(?:[^:@/]*:[^@/]*@)?([^@/]+)(?:\/|$)/.exec(url) ?? []
  return hosts
}

/** A value that the store can't hold, such as a zero byte or a number out of range. */
export class ValueUnstorable extends Error {
  override readonly name = 'ValueUnstorable'
  readonly code: string

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

// Classes 08, 53, 57, 58 and XX are failures of the server (a full disk may be XX000), 25006 is a read-only standby,
// 42501 a revoked right to write, and 26000 and 42P05 a pooler that changed to transaction mode.
const postgresAway = /^(08|25006|26000|42501|42P05|53|57|58|XX)/
const networkAway = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/
/** The driver has no codes for these. */
const postgresWords = /timeout exceeded|timeout expired|Connection terminated|Query read timeout|is not queryable/
const redisWords =
  /Connection is closed|Stream isn't writeable|Cluster isn't ready|Command timed out|max retries per request|LOADING|READONLY|OOM command not allowed|CLUSTERDOWN|MISCONF|EXECABORT/

const unstorable = /^22[0-9A-Z]{3}$/

/** Returns other errors, such as a violated constraint, unchanged. */
export function classifyPostgresError(error: Error, host = ''): Error {
  const code = codeOf(error) ?? ''
  if (unstorable.test(code)) return new ValueUnstorable(error.message, code, { cause: error })
  const isAway = postgresAway.test(code) || networkAway.test(code) || postgresWords.test(error.message)
  if (!isAway || error instanceof StoreUnavailable) return error
  return new StoreUnavailable(error, `PostgreSQL ${host}`.trim(), connectionCode(error) ?? codeOf(error))
}

/** `lost`: the error that ended the connection. Commands sent after it only fail with "not connected". */
export function classifyRedisError(error: Error, host = '', lost?: Error): Error {
  const isAway = networkAway.test(codeOf(error) ?? '') || redisWords.test(error.message)
  if (!isAway || error instanceof StoreUnavailable) return error
  const [reply] = /^[A-Z]{3,}\b/.exec(error.message) ?? []
  return new StoreUnavailable(error, `Redis ${host}`.trim(), connectionCode(error) ?? reply ?? connectionCode(lost))
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
