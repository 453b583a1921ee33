import { z } from 'zod'
import { secretHider } from '../../shared/domain/hidden-secrets.ts'
import type { Connection } from '../domain/connection.ts'
import { type Integration, isAmong, type Tool } from '../domain/integration.ts'
import { answered, type ContentResult, failed } from '../domain/mcp.ts'
import { missingScope } from '../domain/missing-scope.ts'
import type { ApiAnswer, ScopeHeaders, ThirdParty } from '../domain/ports.ts'
import { freeRequest } from '../domain/request-tool.ts'
import { contentOf, type ToolContent } from '../domain/tool-content.ts'
import { refusalIn, toolFailure } from '../domain/tool-failure.ts'
import { type Arguments, type HttpCall, MisplacedTool, OutsideReach, toolRequest } from '../domain/tool-request.ts'
import { ScopeMissing } from '../domain/vendor/vendor-mcp.ts'
import type { GetAccessToken } from './access-token.ts'
import type { GrantNotes } from './grant-notes.ts'

/** Without `tool` it is the request tool. */
export type OpenTool = {
  functionName: string
  tool: Tool | undefined
  integration: Integration
  connection: Connection
}

export type CallTool = (open: OpenTool, args: Arguments, signal: AbortSignal) => Promise<ContentResult>

type Needs = {
  accessToken: GetAccessToken
  thirdParty: Pick<ThirdParty, 'call'>
  grantNotes: Pick<GrantNotes, 'revoked' | 'restored' | 'failed'>
}

/** Errors become results: a model can act on a result but not on a failed request. */
export const callTool = (needs: Needs): CallTool => {
  const validate = validator()
  return async (open, args, signal) => {
    const wrong = open.tool && validate(open.tool, args)
    if (wrong) return failed(`The arguments are not valid: ${wrong}`, 'arguments_invalid')
    try {
      const answer = await authorisedCall(needs, open, requestOf(open, args), signal)
      const result = toResult(answer, open)
      // Some APIs report it with status 200.
      if (result.code === 'grant_revoked') await needs.grantNotes.revoked(open)
      else if (answer.status < 400) await needs.grantNotes.restored(open)
      return result
    } catch (error) {
      await needs.grantNotes.failed(open, error)
      return failureOf(error, open)
    }
  }
}

const requestOf = ({ tool, integration }: OpenTool, args: Arguments): HttpCall =>
  tool ? toolRequest(tool, args, integration) : freeRequest(args, integration)

function validator() {
  const compiled = new WeakMap<Tool['inputSchema'], z.ZodType>()
  return (tool: Tool, args: Arguments): string | undefined => {
    const schema = compiled.get(tool.inputSchema) ?? z.fromJSONSchema(tool.inputSchema as never)
    compiled.set(tool.inputSchema, schema)
    const { error } = schema.safeParse(args)
    return error && z.prettifyError(error)
  }
}

/** Replaces the token after the first 401, because tokens can be revoked early. */
async function authorisedCall(needs: Needs, open: OpenTool, call: HttpCall, signal: AbortSignal): Promise<ToolAnswer> {
  const { integration, connection } = open
  const token = await needs.accessToken(integration, connection)
  const first = await needs.thirdParty.call(call, token, signal)
  if (first.status !== 401) return readAnswer(first, call, secretsOf(connection, token.reveal()))
  const fresh = await needs.accessToken(integration, connection, token)
  return readAnswer(await needs.thirdParty.call(call, fresh, signal), call, secretsOf(connection, fresh.reveal()))
}

type ToolAnswer = { status: number; content: ToolContent; scopes: ScopeHeaders | undefined }

export function secretsOf({ secrets }: Connection, token: string): string[] {
  const { CLIENT_SECRET = '', REFRESH_TOKEN = '' } = secrets.reveal()
  return [token, CLIENT_SECRET, REFRESH_TOKEN]
}

function readAnswer(
  { status, bytes, contentType, scopes }: ApiAnswer,
  { url }: HttpCall,
  secrets: string[],
): ToolAnswer {
  const content = contentOf({ bytes, contentType, uri: url.href })
  const hide = secretHider(secrets)
  if (content.kind === 'text') return { status, scopes, content: { ...content, text: hide(content.text) } }
  // As latin1, so that no other byte changes.
  const hidden = Buffer.from(hide(bytes.toString('latin1')), 'latin1')
  return { status, scopes, content: { ...content, bytes: hidden, uri: hide(content.uri) } }
}

function toResult({ status, content, scopes }: ToolAnswer, open: OpenTool): ContentResult {
  const { tool, integration } = open
  const { api, brokenGrantErrors } = integration
  const text = content.kind === 'text' ? content.text : `${content.bytes.length} bytes of ${content.mimeType}`
  const scope = content.kind === 'text' ? missingScope({ status, scopes, text }, open) : undefined
  // Not a broken grant: the user may have declined a permission that other tools don't need.
  if (scope !== undefined) return { ...failureOf(new ScopeMissing(scope), open), scope }
  if (status >= 300) {
    const message = `The third party answered ${status}: ${text.slice(0, 2_000)}${scopeHint(status, tool)}`
    return failed(message, 'third_party_error')
  }
  if (content.kind !== 'text') return { content, isError: false }
  const refusal = refusalIn(text, api)
  if (!refusal) return answered(text)
  return failed(text, isAmong(brokenGrantErrors, refusal.error, status) ? 'grant_revoked' : 'third_party_error')
}

/** Users may decline a scope, and grants may be older than the tool. */
const scopeHint = (status: number, tool: Tool | undefined): string =>
  status === 403 && tool?.scopes
    ? `\nThis tool needs the scope ${tool.scopes.join(' and ')}. If it was not granted, the account has to be linked again.`
    : ''

function failureOf(error: unknown, open: OpenTool): ContentResult {
  const failure = toolFailure(error, open)
  if (failure) return failed(failure.message, failure.code)
  if (error instanceof MisplacedTool) {
    const words = `Nothing was sent: ${error.message} Ask the operator to correct the profile of ${open.integration.displayName}; other arguments don't help.`
    return failed(words, 'profile_mismatch')
  }
  if (error instanceof OutsideReach) return failed(error.message, 'arguments_invalid')
  if (error instanceof z.ZodError) {
    return failed(`The arguments are not valid: ${z.prettifyError(error)}`, 'arguments_invalid')
  }
  throw error
}
