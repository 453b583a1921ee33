import { type Connection, NotLinked } from '../../domain/connection.ts'
import type { Integration } from '../../domain/integration.ts'
import { answered, failed, type OfferedTool, type ToolResult } from '../../domain/mcp.ts'
import { toolFailure } from '../../domain/tool-failure.ts'

type Of = { integration: Integration; connection: Connection }

export const connectToolName = 'connect_account'

export const connectedNow = answered('The account is connected. List the tools again.')

/** The only tool of a vendor's server without an account. */
export const unlinkedTool = (of: Of): OfferedTool =>
  connectTool(of, async () => {
    throw new NotLinked(of.connection.name)
  })

/** The only tool of a vendor's server whose tools are unknown. A failed check leads the user to a page if one can help. */
export function connectTool(of: Of, check: () => Promise<unknown>): OfferedTool {
  const { displayName } = of.integration
  const description = `Connects the user's ${displayName} account if it is not connected. The tools of ${displayName} are listed afterwards.`
  return {
    name: connectToolName,
    isOurs: true,
    readsOnly: true,
    isReading: () => true,
    traits: () => undefined, // it calls nothing
    shown: { description, inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } },
    call: () =>
      check().then(
        () => connectedNow,
        (error) => resultOf(error, of),
      ),
  }
}

function resultOf(error: unknown, of: Of): ToolResult {
  const failure = toolFailure(error, of)
  if (!failure) throw error
  const { message, code, scope } = failure
  return { ...failed(message, code), ...(scope && { scope }) }
}
