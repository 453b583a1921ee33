import type { DependencyError } from '../dependency-error.ts'
import type { ToolTry } from '../health/health.ts'
import type { OAuthClient } from '../integration.ts'
import type { Config, Link } from '../link.ts'
import type { CallObserver, GrantTokens } from './provider.ts'

export type Provisioning = Pick<
  Link,
  'workspace' | 'integration' | 'connectionId' | 'connectionName' | 'functionName' | 'alias'
> &
  CallObserver

export type Platform = {
  /** Without a grant until an account is linked. */
  createConnection(at: Provisioning, grant: PlatformGrant | NoGrant): Promise<void>
  findConnection(at: Provisioning): Promise<{ isThere: boolean }>
  createFunction(at: Provisioning): Promise<{ url: string }>
  /** Lists the tools. A forwarded MCP server is called with the grant; its rejection is thrown as a cause. */
  verifyFunction(at: Provisioning & { functionUrl: string }): Promise<{ tools: string[] }>
  /** Stores new secrets under the same name, and recreates a missing connection. Never touches resources of others. */
  replaceConnection(at: Provisioning, grant: PlatformGrant | NoGrant): Promise<void>
  pointFunction(at: Provisioning): Promise<{ url: string }>
  /** Recreates a function that did not start, if due. Returns the platform's message about the failure. */
  restartFunction(at: Provisioning, options: { isDue: boolean }): Promise<{ message: string | undefined }>
  /** Shows the alias to agents. A no-op if the platform cannot change functions, or has none of this name. */
  nameFunction(at: Provisioning): Promise<void>
  deleteFunction(at: Provisioning): Promise<void>
  deleteConnection(at: Provisioning): Promise<void>
  tryTool(
    at: Pick<Provisioning, 'workspace'> & CallObserver & { functionUrl: string },
    tool: { name: string; arguments: Readonly<Record<string, unknown>> },
  ): Promise<ToolTry>
}

/** The name of each call in metrics, traces and logs. */
export const platformCalls = {
  createConnection: 'connection',
  findConnection: 'connection',
  createFunction: 'function',
  verifyFunction: 'verification',
  replaceConnection: 'replacement',
  pointFunction: 'function',
  restartFunction: 'restart',
  nameFunction: 'naming',
  deleteFunction: 'function_deletion',
  deleteConnection: 'connection_deletion',
  tryTool: 'tool',
} as const satisfies Record<keyof Platform, string>

export const platformMethods = Object.keys(platformCalls) as Array<keyof Platform>

export type PlatformAnswer = {
  [Call in keyof Platform]: (answer: ResultOf<Platform[Call]>) => void
}[keyof Platform] extends (answer: infer Answer) => void
  ? Answer
  : never

type ResultOf<Call extends (...args: never[]) => unknown> =
  Awaited<ReturnType<Call>> extends infer Result ? (undefined extends Result ? unknown : Result) : never

/** For calls that do not reach the platform: in test mode, and in tests. */
export const simulatedAnswer = (url: string): PlatformAnswer => ({
  ...{ url, tools: [], message: undefined, failed: false, isThere: false },
})

export type PlatformProbe = { look(): Promise<PlatformLook> }

export type PlatformLook = {
  problem: DependencyError | undefined
  workspaces: string[] | undefined
  integrations: string[] | undefined
}

export type NoGrant = { client?: undefined; config?: Config | undefined }

export type PlatformGrant = { client: OAuthClient; config?: Config | undefined } & GrantTokens
