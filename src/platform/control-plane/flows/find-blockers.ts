import type { Resources } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'
import type { Blockers } from './settle-deployment.ts'

type Needs = {
  resources: Pick<Resources, 'find'>
  integrations: ReadonlySet<string>
  images: ReadonlySet<string>
}

/** A workload runs when its image is known here and everything it refers to is there. */
export const findBlockers =
  (needs: Needs): Blockers =>
  async (workload) => [
    ...imageBlockers(workload, needs.images),
    ...(await connectionBlockers(workload, needs)),
    ...(await volumeBlockers(workload, needs)),
  ]

const needsImage = new Set(['agent', 'job', 'model'])

function imageBlockers({ kind, spec }: Resource, images: ReadonlySet<string>): string[] {
  const { image } = spec.runtime as { image?: string }
  if (image === undefined) return needsImage.has(kind) ? ['It names no image in spec.runtime.image.'] : []
  if (images.has(image)) return []
  return [`The image ${image} is not known here: register it in the runtimes file, or use local/echo.`]
}

async function connectionBlockers({ workspace, kind, spec }: Resource, { resources, integrations }: Needs) {
  const names = (spec.integrationConnections ?? []) as string[]
  const found = await Promise.all(
    names.map((name) => resources.find({ workspace, kind: 'integrationconnection', parent: '', name })),
  )
  return names.flatMap((name, at) => connectionBlocker(name, found[at], kind === 'function' ? integrations : undefined))
}

/** Only the tools of functions come from the integration; agents and models use the secrets alone. */
function connectionBlocker(name: string, connection: Resource | undefined, integrations?: ReadonlySet<string>) {
  if (!connection) return [`There is no integration connection ${name}: create it, then update this resource.`]
  const integration = String(connection.spec.integration)
  if (!integrations || integrations.has(integration)) return []
  return [`The integration ${integration} is not known here: add it to the integrations file (INTEGRATIONS_FILE).`]
}

async function volumeBlockers({ workspace, kind, spec }: Resource, { resources }: Needs): Promise<string[]> {
  if (kind !== 'sandbox') return []
  const names = ((spec.volumes ?? []) as Array<{ name: string }>).map(({ name }) => name)
  const found = await Promise.all(names.map((name) => resources.find({ workspace, kind: 'volume', parent: '', name })))
  return names.flatMap((name, at) => (found[at] ? [] : [`There is no volume ${name}.`]))
}
