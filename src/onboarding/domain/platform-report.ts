import type { DependencyError } from './dependency-error.ts'

export type PlatformReport = {
  problem: DependencyError | undefined
  unknownIntegrations: string[]
  /** Workspaces of tenants that do not exist on the platform, or reject our key. */
  unknownWorkspaces: string[]
}

export type PartReport = { ready: boolean; state: string; warnings: string[] }

export function partReport({ problem, unknownIntegrations, unknownWorkspaces }: PlatformReport): PartReport {
  if (problem) return { ready: false, state: stateOf(problem), warnings: [] }
  return { ready: true, state: 'ready', warnings: warningsOf(unknownIntegrations, unknownWorkspaces.length) }
}

/** Without details, for metrics. */
export function platformState(problem: DependencyError | undefined): string {
  if (!problem) return 'ready'
  return problem.cause === 'platform_misconfigured' ? 'misconfigured' : 'not answering'
}

const stateOf = ({ cause, detail }: DependencyError): string =>
  cause === 'platform_misconfigured' ? `misconfigured: ${detail}` : `not answering (${detail})`

/** Counts workspaces: their names identify customers, and readiness is public. */
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
