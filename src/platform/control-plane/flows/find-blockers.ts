import type { Resources } from '../domain/ports.ts'
import type { Json, Resource } from '../domain/resource.ts'
import type { Blockers, DeployableResource, Warnings } from './settle-deployment.ts'

/** What runs an image here: `both` is for the built-in ones. */
export type RuntimeKind = 'address' | 'command' | 'both'

type Needs = {
  resources: Pick<Resources, 'find'>
  integrations: ReadonlySet<string>
  /** Returns undefined for an image that nobody knows here. */
  runtimeKindOf(image: string): RuntimeKind | undefined
  isSchedule(text: string): boolean
  /** What a connection with these secrets lacks for the API of a model. */
  missingSecrets(api: { type: string; model: string }, names: readonly string[]): string[]
}

/** A workload runs when its image is known here and everything it refers to is there; a volume needs its template. */
export const findBlockers =
  (needs: Needs): Blockers =>
  async (workload) => [
    ...imageBlockers(workload, needs.runtimeKindOf),
    ...scheduleBlockers(workload, needs.isSchedule),
    ...(await connectionBlockers(workload, needs)),
    ...(await referenceBlockers(workload, needs)),
  ]

/** Kinds that do nothing without an image, and what has to be registered for it. */
const needed = new Map<string, RuntimeKind>([
  ['agent', 'address'],
  ['model', 'address'],
  ['job', 'command'],
])

function imageBlockers(resource: DeployableResource, runtimeKindOf: Needs['runtimeKindOf']): string[] {
  const { kind, spec } = resource
  const { image } = (spec.runtime ?? {}) as { image?: string }
  const needs = needed.get(kind)
  if (!image) return needs && !modelApiOf(resource) ? [noImage(kind)] : []
  const found = runtimeKindOf(image)
  if (!found) return [`The image ${image} is not known here: register it in the runtimes file, or use local/echo.`]
  if (!needs || found === needs || found === 'both') return []
  return [`The image ${image} has no ${needs} here: give it one in the runtimes file, or use local/echo.`]
}

const noImage = (kind: string) =>
  kind === 'model'
    ? 'It names neither an image in spec.runtime.image nor an API: set spec.runtime.type (openai, anthropic or another provider), spec.runtime.model and a connection with its key.'
    : 'It names no image in spec.runtime.image.'

/** Of a model without an image: what a provider runs for the key of a connection. */
function modelApiOf({ kind, spec }: DeployableResource): { type: string; model: string } | undefined {
  const { image, type, model } = (spec.runtime ?? {}) as { image?: string; type?: string; model?: string }
  return kind === 'model' && !image && type && model ? { type, model } : undefined
}

type Trigger = { type: string; enabled: boolean; configuration: { schedule?: string; callbackUrl?: string } }

/** A schedule that cannot be read would never start anything, without any error. */
function scheduleBlockers({ kind, spec }: DeployableResource, isSchedule: Needs['isSchedule']): string[] {
  const triggers = kind === 'job' || kind === 'agent' ? ((spec.triggers ?? []) as Trigger[]) : []
  const schedules = triggers.flatMap(({ type, enabled, configuration }) =>
    type === 'cron' && enabled ? [configuration.schedule ?? ''] : [],
  )
  const wrong = schedules.filter((schedule) => !isSchedule(schedule))
  return wrong.map(
    (schedule) =>
      `The schedule "${schedule}" is not valid: write five fields, minute to day of week, for a date that exists, or a name such as @daily; it is in UTC unless it begins with CRON_TZ= and a time zone.`,
  )
}

async function connectionBlockers(resource: DeployableResource, { resources, integrations, missingSecrets }: Needs) {
  const { workspace, kind, spec } = resource
  const names = (spec.integrationConnections ?? []) as string[]
  const found = await Promise.all(
    names.map((name) => resources.find({ workspace, kind: 'integrationconnection', parent: '', name })),
  )
  const api = modelApiOf(resource)
  return [
    ...(api ? apiBlockers(api, names, found[0], missingSecrets) : []),
    ...names.flatMap((name, at) => connectionBlocker(name, found[at], kind === 'function' ? integrations : undefined)),
  ]
}

/** The first connection has the key. */
function apiBlockers(
  api: { type: string; model: string },
  [name]: string[],
  connection: Resource | undefined,
  missingSecrets: Needs['missingSecrets'],
): string[] {
  if (name === undefined) return [`It needs the key of ${api.type}: name a connection in spec.integrationConnections.`]
  if (!connection) return []
  const lacking = missingSecrets(api, Object.keys(connection.spec.secret ?? {}))
  if (lacking.length === 0) return []
  return [`The connection ${name} lacks ${lacking.join(' and ')}: set it among its secrets, then update this resource.`]
}

/** Only the tools of functions come from the integration; agents and models use the secrets alone. */
function connectionBlocker(name: string, connection: Resource | undefined, integrations?: ReadonlySet<string>) {
  if (!connection) return [missing('integration connection', name)]
  const integration = String(connection.spec.integration)
  if (!integrations || integrations.has(integration)) return []
  return [`The integration ${integration} is not known here: add it to the integrations file (INTEGRATIONS_FILE).`]
}

const missing = (what: string, name: string) => `There is no ${what} ${name}: create it, then update this resource.`

type Reference = { kind: string; what: string; name: string }

async function referenceBlockers(resource: DeployableResource, { resources }: Needs): Promise<string[]> {
  const { workspace } = resource
  const named = referencesOf(resource)
  const found = await Promise.all(named.map(({ kind, name }) => resources.find({ workspace, kind, parent: '', name })))
  return named.flatMap(({ what, name }, at) => (found[at] ? [] : [missing(what, name)]))
}

function referencesOf({ kind, spec }: DeployableResource): Reference[] {
  const policies = ((spec.policies ?? []) as string[]).map((name) => ({ kind: 'policy', what: 'policy', name }))
  const template = typeof spec.template === 'string' ? [spec.template] : []
  const templates = template.map((name) => ({ kind: 'volumetemplate', what: 'volume template', name }))
  // The volumes of a job are folders that come and go with its tasks: they refer to nothing.
  const storage = kind === 'job' ? [] : [...mountsOf('volume', spec.volumes), ...mountsOf('drive', spec.drives)]
  return [...policies, ...templates, ...storage]
}

const mountsOf = (kind: string, mounts: Json | undefined): Reference[] =>
  ((mounts ?? []) as Array<{ name: string }>).map(({ name }) => ({ kind, what: kind, name }))

/** A callback that can never be delivered does not keep a workload from running, so it is a warning. */
export const findWarnings =
  ({ mayCallBack }: { mayCallBack(url: string): boolean }): Warnings =>
  ({ spec }: Resource) => {
    const triggers = (spec.triggers ?? []) as Trigger[]
    const urls = triggers.flatMap(({ enabled, configuration: { callbackUrl } }) =>
      enabled && callbackUrl !== undefined && !mayCallBack(callbackUrl) ? [new URL(callbackUrl).host] : [],
    )
    return [...new Set(urls)].map(
      (host) => `The callback address at ${host} is not called from here: it must be https, public and on port 443.`,
    )
  }
