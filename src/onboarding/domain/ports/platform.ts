import type { Secret } from '../../../kit/crypto/secret.ts'
import type { ToolTry } from '../health.ts'
import type { OAuthClient } from '../integration.ts'
import type { Link } from '../link.ts'

export type Provisioning = Pick<Link, 'workspace' | 'integration' | 'connectionId' | 'connectionName' | 'functionName'>

export type Platform = {
  createConnection(at: Provisioning, grant: PlatformGrant): Promise<void>
  createFunction(at: Provisioning): Promise<{ url: string }>
  /** One MCP handshake and a list of tools. */
  verifyFunction(at: Provisioning & { functionUrl: string }): Promise<{ tools: string[] }>
  /** New secrets under the same name. Creates it again if it is gone; never touches what is not ours. */
  replaceConnection(at: Provisioning, grant: PlatformGrant): Promise<void>
  /** Lets the function name another connection. */
  pointFunction(at: Provisioning): Promise<{ url: string }>
  deleteFunction(at: Provisioning): Promise<void>
  deleteConnection(at: Provisioning): Promise<void>
  /** Uses one tool of the function, as a client would. */
  tryTool(functionUrl: string, tool: { name: string; arguments: Readonly<Record<string, unknown>> }): Promise<ToolTry>
}

export type PlatformGrant = { client: OAuthClient; refreshToken: Secret }
