import { ApiError, CausewayError, UnreachableError } from '@causeway/client'
import { UsageError } from './command.ts'
import { printable } from './table.ts'

/** An error that the user can fix. Only the message is printed. */
export class CommandError extends Error {}

export function errorLines(error: unknown): string[] {
  if (error instanceof UsageError || error instanceof CommandError) return [error.message]
  if (error instanceof ApiError) return apiErrorLines(error)
  if (error instanceof UnreachableError) {
    return ['The deployment did not respond.', 'Check that it is running and that its address is correct.']
  }
  if (error instanceof CausewayError) return [printable(error.message)]
  const { message, code } = error as Error & { code?: string }
  return [`causeway stopped: ${printable(code ? `${code}: ${message}` : String(message ?? error))}`]
}

function apiErrorLines(error: ApiError): string[] {
  const { code, status, requestId } = error
  const lines = [printable(error.message)]
  if (status === 401) lines.push('Run causeway login with a valid key.')
  if (code === 'key_limited') lines.push('Use a deployment key.')
  if (error.retryAfterSeconds !== undefined) lines.push(`Try again in ${error.retryAfterSeconds} seconds.`)
  if (requestId !== undefined) lines.push(`Request ID, for support: ${printable(requestId)}`)
  return lines
}

/** EX_TEMPFAIL of sysexits.h: nothing is wrong with the command, so it can be run again. */
const tryAgainCode = 75

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return 2
  const isAway = error instanceof UnreachableError || (error instanceof ApiError && error.status === 503)
  return isAway ? tryAgainCode : 1
}
