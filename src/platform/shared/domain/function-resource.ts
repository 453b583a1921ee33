// The MCP server of a function as an OAuth resource (RFC 8707). Its tokens are valid only there.
import { WorkspaceName } from '../../../contract/headers.ts'
import { ResourceName } from '../../../contract/resource.ts'

export type FunctionName = { workspace: string; name: string }

/** `tools:read` lists tools and calls read-only ones. `tools:write` calls all. */
export const toolScopes = ['tools:read', 'tools:write'] as const
export type ToolScope = (typeof toolScopes)[number]

export const firstToolScope: ToolScope = 'tools:read'

export const isToolScope = (text: string): text is ToolScope => (toolScopes as readonly string[]).includes(text)

const pathOf = ({ workspace, name }: FunctionName) => `/${workspace}/functions/${name}/mcp`

/** The URL of the server, which is also the resource identifier and the audience of its tokens. */
export const mcpAddress = (gatewayUrl: string, of: FunctionName): string => `${gatewayUrl}${pathOf(of)}`

/** RFC 9728 §3.1: the well-known part goes between the host and the path. */
export function metadataAddress(gatewayUrl: string, of: FunctionName): string {
  const { origin, pathname } = new URL(gatewayUrl)
  return `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}${pathOf(of)}`
}

/** Returns undefined unless the text is exactly the URL of a possible server. */
export function functionAt(gatewayUrl: string, address: string): FunctionName | undefined {
  if (!address.startsWith(`${gatewayUrl}/`)) return undefined
  const [, workspace = '', name = ''] =
    /^\/([^/]+)\/functions\/([^/]+)\/mcp$/.exec(address.slice(gatewayUrl.length)) ?? []
  return isFunctionName({ workspace, name }) ? { workspace, name } : undefined
}

export const isFunctionName = ({ workspace, name }: FunctionName): boolean =>
  WorkspaceName.safeParse(workspace).success && ResourceName.safeParse(name).success
