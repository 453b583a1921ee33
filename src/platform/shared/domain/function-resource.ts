// MCP servers as OAuth resources (RFC 8707): one per function, and one for all functions of a person. A token is valid
// at one of them.
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

/** All functions of the person who calls it. */
export const personAddress = (gatewayUrl: string, workspace: string): string => `${gatewayUrl}/${workspace}/mcp`

/** RFC 9728 §3.1: the well-known part goes between the host and the path. */
export function metadataAddress(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}/.well-known/oauth-protected-resource${pathname}`
}

/** Without `name`: all functions of a person. */
export type ToolResource = { workspace: string; name: string | undefined }

export function toolResourceAt(gatewayUrl: string, address: string): ToolResource | undefined {
  const of = functionAt(gatewayUrl, address)
  if (of) return of
  const workspace = address.startsWith(`${gatewayUrl}/`) ? address.slice(gatewayUrl.length + 1, -'/mcp'.length) : ''
  const isPerson = WorkspaceName.safeParse(workspace).success && address === personAddress(gatewayUrl, workspace)
  return isPerson ? { workspace, name: undefined } : undefined
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
