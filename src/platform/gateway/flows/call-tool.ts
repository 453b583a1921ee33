import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { atMost } from '../../../kit/cache/ttl-cache.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { refusalIn } from '../domain/api-refusal.ts'
import {
  AnswerTooLarge,
  ClientRejected,
  type Connection,
  GrantRevoked,
  RefreshRefused,
  ThirdPartyError,
  type Workloads,
} from '../domain/connection.ts'
import { type Integration, isAmong, type Tool } from '../domain/integration.ts'
import { answered, failed, type ToolResult } from '../domain/mcp.ts'
import type { ApiAnswer, ThirdParty } from '../domain/ports.ts'
import { freeRequest } from '../domain/request-tool.ts'
import { contentOf, type ToolContent } from '../domain/tool-content.ts'
import { type Arguments, type HttpCall, OutsideReach, toolRequest } from '../domain/tool-request.ts'
import type { GetAccessToken } from './access-token.ts'

/** A tool of a function; without `tool` it is the one for any request. */
export type OpenTool = {
  functionName: string
  tool: Tool | undefined
  integration: Integration
  connection: Connection
}

export type CallTool = (open: OpenTool, args: Arguments, signal: AbortSignal) => Promise<ToolResult>

type Needs = {
  accessToken: GetAccessToken
  thirdParty: Pick<ThirdParty, 'call'>
  workloads: Pick<Workloads, 'noteRevokedGrant' | 'noteRestoredGrant'>
  log: Log<'grant_status.unrecorded'>
}

/** Errors become the result of the tool: a model can act on a result, and not on a failed request. */
export const callTool = (needs: Needs): CallTool => {
  const validate = validator()
  const noteRestored = restoredNotes(needs)
  return async (open, args, signal) => {
    const wrong = open.tool && validate(open.tool, args)
    if (wrong) return failed(`The arguments are not valid: ${wrong}`, 'arguments_invalid')
    try {
      const answer = await authorisedCall(needs, open, requestOf(open, args), signal)
      if (answer.status < 400) await noteRestored(open)
      return toResult(answer, open)
    } catch (error) {
      if (error instanceof GrantRevoked) await noteRevoked(needs, open)
      return failureOf(error, open)
    }
  }
}

const requestOf = ({ tool, integration }: OpenTool, args: Arguments): HttpCall =>
  tool ? toolRequest(tool, args, integration) : freeRequest(args, integration)

/** Schemas are data and are compiled once for each tool. */
function validator() {
  const compiled = new WeakMap<Tool['inputSchema'], z.ZodType>()
  return (tool: Tool, args: Arguments): string | undefined => {
    const schema = compiled.get(tool.inputSchema) ?? z.fromJSONSchema(tool.inputSchema as never)
    compiled.set(tool.inputSchema, schema)
    const { error } = schema.safeParse(args)
    return error && z.prettifyError(error)
  }
}

/** A token may be revoked before its time: the first 401 is answered with a new one, the second is the answer. */
async function authorisedCall(needs: Needs, open: OpenTool, call: HttpCall, signal: AbortSignal): Promise<ToolAnswer> {
  const { integration, connection } = open
  const token = await needs.accessToken(integration, connection)
  const first = await needs.thirdParty.call(call, token, signal)
  if (first.status !== 401) return readAnswer(first, call, secretsOf(open, token))
  const fresh = await needs.accessToken(integration, connection, token)
  return readAnswer(await needs.thirdParty.call(call, fresh, signal), call, secretsOf(open, fresh))
}

type ToolAnswer = { status: number; content: ToolContent }

const secretsOf = ({ connection }: OpenTool, token: Secret): string[] => {
  const { CLIENT_SECRET = '', REFRESH_TOKEN = '' } = connection.secrets.reveal()
  return [token.reveal(), CLIENT_SECRET, REFRESH_TOKEN].filter((secret) => secret.length >= 8).flatMap(spellings)
}

/** As it is, in JSON of writers that escape slashes, and in an address. */
const spellings = (secret: string) => [secret, secret.replaceAll('/', '\\/'), encodeURIComponent(secret)]

/** An API that echoes what it was sent must not hand the token to the client. */
function readAnswer({ status, bytes, contentType }: ApiAnswer, { url }: HttpCall, secrets: string[]): ToolAnswer {
  const content = contentOf({ bytes, contentType, uri: url.href })
  const hide = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  if (content.kind === 'text') return { status, content: { ...content, text: hide(content.text) } }
  // Byte by byte: nothing but a secret is changed.
  const hidden = Buffer.from(hide(bytes.toString('latin1')), 'latin1')
  return { status, content: { ...content, bytes: hidden, uri: hide(content.uri) } }
}

function toResult({ status, content }: ToolAnswer, { tool, integration }: OpenTool): ToolResult {
  const { api, brokenGrantErrors } = integration
  const text = content.kind === 'text' ? content.text : `${content.bytes.length} bytes of ${content.mimeType}`
  if (status >= 300) {
    const message = `The third party answered ${status}: ${text.slice(0, 2_000)}${scopeHint(status, tool)}`
    return failed(message, 'third_party_error')
  }
  if (content.kind !== 'text') return { content, isError: false }
  const refusal = refusalIn(text, api)
  if (!refusal) return answered(text)
  return failed(text, isAmong(brokenGrantErrors, refusal.error, status) ? 'grant_revoked' : 'third_party_error')
}

/** Users may untick a scope, and grants may be older than the tool. */
const scopeHint = (status: number, tool: Tool | undefined): string =>
  status === 403 && tool?.scopes
    ? `\nThis tool needs the scope ${tool.scopes.join(' and ')}. If it was not granted, the account has to be linked again.`
    : ''

/** The caller has the tool error already; a store that is down must not replace it. */
const noteRevoked = ({ workloads, log }: Needs, { functionName, connection }: OpenTool) =>
  workloads
    .noteRevokedGrant(connection.workspace, functionName, connection)
    .catch((error) => log('grant_status.unrecorded', { code: describeError(error) }))

/** So many are remembered; whatever falls out costs one more look. */
const mostNoted = 10_000

/** Looks once for each function and its secrets, and not at every call. */
function restoredNotes({ workloads }: Needs) {
  const noted = new LRUCache<string, true>(atMost(mostNoted))
  return async ({ functionName, connection }: OpenTool): Promise<void> => {
    const key = `${functionName}|${connection.id}|${connection.version}`
    if (noted.get(key)) return
    noted.set(key, true)
    await workloads
      .noteRestoredGrant(connection.workspace, functionName, connection)
      .catch(() => void noted.delete(key))
  }
}

/** Throws what is no failure of the call but a fault of ours. */
function failureOf(error: unknown, { connection, integration }: OpenTool): ToolResult {
  if (error instanceof GrantRevoked) {
    const message = `The connection "${connection.name}" to ${integration.displayName} needs re-linking: its authorization was revoked or has expired. Ask the owner of the connection to link the account again.`
    return failed(message, 'grant_revoked')
  }
  if (error instanceof AnswerTooLarge) {
    const message = `The answer of ${integration.displayName} is larger than ${error.limit}. Ask for less at a time.`
    return failed(message, 'third_party_error')
  }
  if (error instanceof ThirdPartyError) {
    return failed(`${integration.displayName} is not available: ${error.message} Try again later.`, codeOf(error))
  }
  if (error instanceof OutsideReach) return failed(error.message, 'arguments_invalid')
  if (error instanceof z.ZodError) {
    return failed(`The arguments are not valid: ${z.prettifyError(error)}`, 'arguments_invalid')
  }
  throw error
}

function codeOf(error: ThirdPartyError) {
  if (error instanceof ClientRejected) return 'client_rejected'
  return error instanceof RefreshRefused ? 'refresh_refused' : 'third_party_unavailable'
}
