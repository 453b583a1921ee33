import type { Resources } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'
import type { Blockers } from './settle-deployment.ts'

/** What runs an image here: `both` is for the built-in ones. */
export type RuntimeKind = 'address' | 'command' | 'both'

type Needs = {
  resources: Pick<Resources, 'find'>
  integrations: ReadonlySet<string>
  images: ReadonlyMap<string, RuntimeKind>
  isSchedule(text: string): boolean
}

/** A workload runs when its image is known here and everything it refers to is there. */
export const findBlockers =
  (needs: Needs): Blockers =>
  async (workload) => [
    ...imageBlockers(workload, needs.images),
    ...scheduleBlockers(workload, needs.isSchedule),
    ...(await connectionBlockers(workload, needs)),
    ...(await storageBlockers(workload, needs)),
  ]

/** Kinds that do nothing without an image, and what has to be registered for it. */
const needed = new Map<string, RuntimeKind>([
  ['agent', 'address'],
  ['model', 'address'],
  ['job', 'command'],
])

function imageBlockers({ kind, spec }: Resource, images: Needs['images']): string[] {
  const { image } = spec.runtime as { image?: string }
  const needs = needed.get(kind)
  if (image === undefined) return needs ? ['It names no image in spec.runtime.image.'] : []
  const found = images.get(image)
  if (!found) return [`The image ${image} is not known here: register it in the runtimes file, or use local/echo.`]
  if (!needs || found === needs || found === 'both') return []
  return [`The image ${image} has no ${needs} here: give it one in the runtimes file, or use local/echo.`]
}

type Trigger = { type: string; enabled: boolean; configuration: { schedule?: string } }

/** A clock that nobody can read would never start anything, and never say so. */
function scheduleBlockers({ kind, spec }: Resource, isSchedule: Needs['isSchedule']): string[] {
  const triggers = kind === 'job' ? ((spec.triggers ?? []) as Trigger[]) : []
  const schedules = triggers.flatMap(({ type, enabled, configuration }) =>
    type === 'cron' && enabled ? [configuration.schedule ?? ''] : [],
  )
  const wrong = schedules.filter((schedule) => !isSchedule(schedule))
  return wrong.map((schedule) => `The schedule "${schedule}" is none: five fields, minute to day of week, in UTC.`)
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
  if (!connection) return [missing('integration connection', name)]
  const integration = String(connection.spec.integration)
  if (!integrations || integrations.has(integration)) return []
  return [`The integration ${integration} is not known here: add it to the integrations file (INTEGRATIONS_FILE).`]
}

const missing = (what: string, name: string) => `There is no ${what} ${name}: create it, then update this resource.`

const storageKinds = ['volume', 'drive'] as const

async function storageBlockers({ workspace, kind, spec }: Resource, { resources }: Needs): Promise<string[]> {
  // The volumes of a job are folders that come and go with its tasks: they refer to nothing.
  if (kind === 'job') return []
  const named = storageKinds.flatMap((storage) =>
    ((spec[`${storage}s`] ?? []) as Array<{ name: string }>).map(({ name }) => ({ storage, name })),
  )
  const found = await Promise.all(
    named.map(({ storage, name }) => resources.find({ workspace, kind: storage, parent: '', name })),
  )
  return named.flatMap(({ storage, name }, at) => (found[at] ? [] : [missing(storage, name)]))
}
