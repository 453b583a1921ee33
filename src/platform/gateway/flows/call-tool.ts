import { z } from 'zod'
import { GrantBroken, ThirdPartyTrouble } from '../domain/connection.ts'
import type { ApiAnswer, ThirdParty } from '../domain/ports.ts'
import { type Arguments, type HttpCall, toolRequest } from '../domain/tool-request.ts'
import type { GetAccessToken } from './access-token.ts'
import type { OpenTool } from './open-function.ts'

export type ToolResult = { text: string; isError: boolean }

export type CallTool = (open: OpenTool, args: Arguments) => Promise<ToolResult>

type Needs = { accessToken: GetAccessToken; thirdParty: Pick<ThirdParty, 'call'> }

/** What goes wrong on the way is told to the model as the result of the tool: it can act on it, a broken request it cannot. */
export const callTool =
  (needs: Needs): CallTool =>
  async (open, args) => {
    const wrong = z.fromJSONSchema(open.tool.inputSchema as never).safeParse(args).error
    if (wrong) return failed(`The arguments are not valid: ${z.prettifyError(wrong)}`)
    try {
      return toResult(await authorisedCall(needs, open, toolRequest(open.tool, args, open.integration)))
    } catch (error) {
      return failed(explain(error, open))
    }
  }

/** A token may be revoked before its time: the first 401 is answered with a new one, the second is the answer. */
async function authorisedCall(needs: Needs, { integration, connection }: OpenTool, call: HttpCall): Promise<ApiAnswer> {
  const token = await needs.accessToken(integration, connection)
  const first = await needs.thirdParty.call(call, token)
  if (first.status !== 401) return first
  return needs.thirdParty.call(call, await needs.accessToken(integration, connection, token))
}

function toResult({ status, body }: ApiAnswer): ToolResult {
  if (status < 400) return { text: body, isError: false }
  return failed(`The third party answered ${status}: ${body.slice(0, 2_000)}`)
}

function explain(error: unknown, { connection, integration }: OpenTool): string {
  if (error instanceof GrantBroken) {
    return `The connection "${connection.name}" to ${integration.displayName} needs re-linking: its authorization was revoked or has expired. Ask the owner of the connection to link the account again.`
  }
  if (error instanceof ThirdPartyTrouble)
    return `${integration.displayName} is in trouble: ${error.message} Try again later.`
  throw error
}

const failed = (text: string): ToolResult => ({ text, isError: true })
