// Whether this deployment can use the platform, in the words of whoever has to mend it.
import type { DependencyError } from './dependency-error.ts'

export type PlatformReport = {
  problem: DependencyError | undefined
  /** Integrations with a client here that the platform does not know: their functions would not start. */
  unknownIntegrations: string[]
  /** Of tenants; the platform does not have them, or does not let our key in. */
  unknownWorkspaces: string[]
}

/** How a part that the program needs is doing. */
export type PartReport = { ready: boolean; state: string; warnings: string[] }

export function partReport({ problem, unknownIntegrations, unknownWorkspaces }: PlatformReport): PartReport {
  if (problem) return { ready: false, state: stateOf(problem), warnings: [] }
  return { ready: true, state: 'ready', warnings: warningsOf(unknownIntegrations, unknownWorkspaces.length) }
}

const stateOf = ({ cause, detail }: DependencyError): string =>
  cause === 'platform_misconfigured' ? `misconfigured: ${detail}` : `not answering (${detail})`

/** Workspaces are counted: their names are those of customers, and readiness is for anybody to read. */
function warningsOf(integrations: readonly string[], workspaces: number): string[] {
  return [
    ...integrations.map(
      (id) =>
        `The platform does not know the integration ${id}: give it the same INTEGRATIONS_FILE, and restart it after a change of that file.`,
    ),
    ...(workspaces > 0
      ? [`The platform does not have the workspace of ${workspaces === 1 ? 'one tenant' : `${workspaces} tenants`}.`]
      : []),
  ]
}
