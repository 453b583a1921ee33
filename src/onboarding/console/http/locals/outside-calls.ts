import {
  type OutsideCall,
  type OutsideCallName,
  outsideCalls,
  type Server,
} from '../../../domain/trace/outside-call.ts'
import { duration, formatTime, shown } from './words.ts'

const callWords: Record<OutsideCallName, string> = {
  token: 'Exchange the code',
  token_exchange: 'Exchange the first token',
  refresh: 'Refresh the token',
  userinfo: 'Read the account',
  revocation: 'Revoke the grant',
  connection_create: 'Create the connection',
  connection_read: 'Look up the connection',
  connection_replace: 'Replace the connection',
  connection_delete: 'Delete the connection',
  function_create: 'Create the function',
  function_read: 'Look up the function',
  function_replace: 'Replace the function',
  function_delete: 'Delete the function',
  verification: 'List the function’s tools (MCP)',
}

/** `app`: what the provider is called on the page. */
export const callRows = (calls: readonly OutsideCall[], app: string) => {
  const names: Record<Server, string> = { provider: app, platform: 'Platform' }
  return calls.map(({ call, at, status, error, durationMs, attempt }) => ({
    at: formatTime(at),
    server: names[outsideCalls[call]],
    call: callWords[call],
    isFailed: error !== undefined || (status ?? 0) >= 400,
    // Codes of our own making, of Node and of OpenSSL.
    result: [status === undefined ? undefined : String(status), error && shown(error, 60)].filter(Boolean).join(' '),
    took: duration(durationMs),
    attempt,
  }))
}
