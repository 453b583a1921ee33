import type { DependencyError } from '../dependency-error.ts'
import type { ToolTry } from '../health/health.ts'
import type { OAuthClient } from '../integration.ts'
import type { Config, Link } from '../link.ts'
import type { CallObserver, GrantTokens } from './provider.ts'

export type Provisioning = Pick<
  Link,
  'workspace' | 'integration' | 'connectionId' | 'connectionName' | 'functionName'
> &
  CallObserver

export type Platform = {
  createConnection(at: Provisioning, grant: PlatformGrant): Promise<void>
  createFunction(at: Provisioning): Promise<{ url: string }>
  /**
   * One MCP handshake and a list of tools. Where the function forwards to an MCP server, that server is asked by the grant,
   * and what it refuses is thrown by its cause (`brokenGrantCauses`).
   */
  verifyFunction(at: Provisioning & { functionUrl: string }): Promise<{ tools: string[] }>
  /** New secrets under the same name. Creates it again if it is gone; never touches what is not ours. */
  replaceConnection(at: Provisioning, grant: PlatformGrant): Promise<void>
  /** Lets the function name another connection. */
  pointFunction(at: Provisioning): Promise<{ url: string }>
  /** Puts a function again that the platform could not start, if that is due. Returns what it says about the failure. */
  restartFunction(at: Provisioning, options: { isDue: boolean }): Promise<{ message: string | undefined }>
  deleteFunction(at: Provisioning): Promise<void>
  deleteConnection(at: Provisioning): Promise<void>
  /** Uses one tool of the function, as a client would. */
  tryTool(
    functionUrl: string,
    tool: { name: string; arguments: Readonly<Record<string, unknown>> },
    by?: Pick<CallObserver, 'traceparent'>,
  ): Promise<ToolTry>
}

/** What the platform says to our key, outside of any workspace. */
export type PlatformProbe = { look(): Promise<PlatformLook> }

/** Names are undefined where the platform does not tell them. */
export type PlatformLook = {
  problem: DependencyError | undefined
  workspaces: string[] | undefined
  integrations: string[] | undefined
}

export type PlatformGrant = { client: OAuthClient; config?: Config | undefined } & GrantTokens
