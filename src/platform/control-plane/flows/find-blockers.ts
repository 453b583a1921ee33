import type { Resources } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'
import type { Blockers } from './settle-deployment.ts'

type Needs = { resources: Pick<Resources, 'find'>; integrations: ReadonlySet<string> }

/** A function runs when every connection it names is there and somebody told us the tools of its integration. */
export const findBlockers =
  ({ resources, integrations }: Needs): Blockers =>
  async ({ workspace, spec }: Resource) => {
    const names = (spec.integrationConnections ?? []) as string[]
    const found = await Promise.all(
      names.map((name) => resources.find({ workspace, kind: 'integrationconnection', parent: '', name })),
    )
    return names.flatMap((name, at) => blocker(name, found[at], integrations))
  }

function blocker(name: string, connection: Resource | undefined, integrations: ReadonlySet<string>): string[] {
  if (!connection) return [`There is no integration connection ${name}: create it, then update this resource.`]
  const integration = String(connection.spec.integration)
  if (integrations.has(integration)) return []
  return [`The integration ${integration} is not known here: add it to the integrations file (INTEGRATIONS_FILE).`]
}
