import { unmask } from '../domain/masking.ts'
import { policyProblem } from '../domain/policy.ts'
import type { ControlPlanePorts, RuntimeKind } from '../domain/ports.ts'
import type { Json, Resource } from '../domain/resource.ts'
import { currentRevision, servesImages } from '../domain/revisions.ts'
import { openSecrets } from '../domain/secrets.ts'
import { isServed, servedContainer } from '../domain/served-image.ts'
import { volumeProblems } from '../domain/task-volumes.ts'

export type DeployableResource = Pick<Resource, 'workspace' | 'kind' | 'spec'>

/** Reasons why a workload can't run, as sentences for its owner. */
export async function findBlockers(ports: ControlPlanePorts, workload: DeployableResource): Promise<string[]> {
  return [
    ...imageBlockers(ports, workload),
    ...scheduleBlockers(ports, workload),
    ...jobBlockers(workload),
    ...(await connectionBlockers(ports, workload)),
    ...(await referenceBlockers(ports, workload)),
  ]
}

const needed = new Map<string, RuntimeKind>([
  ['agent', 'address'],
  ['function', 'address'],
  ['model', 'address'],
  ['job', 'command'],
])

function imageBlockers(
  { runtimeKindOf, hasVolumes, hasPorts }: ControlPlanePorts,
  resource: DeployableResource,
): string[] {
  const { kind, spec } = resource
  const { image } = (spec.runtime ?? {}) as { image?: string }
  const needs = needed.get(kind)
  if (!image) return needsImage(resource) ? [noImage(kind)] : []
  const found = runtimeKindOf(image)
  if (!found) return [`The image ${image} is unknown: add it to the runtimes file, or use local/echo.`]
  if (kind === 'function' && (found === 'both' || !servesImages(kind, spec))) return []
  if (found === 'container' && needs === 'address') return hasPorts ? [] : [noServers]
  if (found === 'container') return containerBlockers(resource, hasVolumes)
  if (!needs || found === needs || found === 'both') return []
  return [`The image ${image} has no ${needs}: add one to the runtimes file, or use local/echo.`]
}

const needsImage = (resource: DeployableResource): boolean =>
  ['agent', 'model', 'job'].includes(resource.kind) && !modelApiOf(resource)

const noServers =
  'The container engine of this platform runs no agents, functions and models: add the address of one to the runtimes file, or use another engine.'

/** Names members that containers do not support, and mounts that would hide their own folders. */
function containerBlockers({ kind, spec }: DeployableResource, hasVolumes: boolean): string[] {
  const isSandbox = kind === 'sandbox'
  const members = isSandbox && !hasVolumes ? ['volumes', 'drives', 'functions'] : ['functions']
  const used = members.filter((member) => ((spec[member] ?? []) as unknown[]).length > 0)
  if (used.length > 0)
    return [`A ${kind} in a container cannot use ${used.map((member) => `spec.${member}`).join(' and ')}: remove them.`]
  const taken = isSandbox ? [...mountsAt(spec.volumes), ...mountsAt(spec.drives)].filter(isTaken) : []
  return taken.map((path) => `Nothing can be mounted at ${path} in a container: choose another folder.`)
}

const isTaken = (path: string): boolean => /^\/+(home|tmp)\/*$/.test(path)

const mountsAt = (mounts: Json | undefined): string[] =>
  ((mounts ?? []) as Array<{ mountPath: string }>).map(({ mountPath }) => mountPath)

/** Asked last, because pulling an image takes long. */
export async function containerProblems(ports: ControlPlanePorts, resource: Resource, signal: AbortSignal) {
  const { kind, id, spec, status } = resource
  const { image = '', memory: memoryMb = 0 } = (spec.runtime ?? {}) as { image?: string; memory?: number }
  if (status !== 'DEPLOYING' || ports.runtimeKindOf(image) !== 'container') return []
  if (isServed(ports, kind, spec)) {
    const served = servedContainer(currentRevision(resource), unmask(spec, openSecrets(ports.vault, resource)))
    const { problem } = await ports.prepareContainer({ ...served, kind }, signal)
    return problem === undefined ? [] : [problem]
  }
  if (kind === 'function') return []
  const [kept] = kind === 'sandbox' ? await ports.sandboxesWithImages(id) : []
  const { problem } = await ports.prepareContainer({ kind, id, image, memoryMb, mounts: kept?.mounts ?? [] }, signal)
  return problem === undefined ? [] : [problem]
}

const noImage = (kind: string) =>
  kind === 'model'
    ? 'It has neither an image (spec.runtime.image) nor an API: set spec.runtime.type (openai, anthropic or another provider), spec.runtime.model and a connection with its key.'
    : 'It has no image: set spec.runtime.image.'

/** A model without an image uses a provider's API with the key of a connection. */
function modelApiOf({ kind, spec }: DeployableResource): { type: string; model: string } | undefined {
  const { image, type, model } = (spec.runtime ?? {}) as { image?: string; type?: string; model?: string }
  return kind === 'model' && !image && type && model ? { type, model } : undefined
}

type Trigger = { type: string; enabled: boolean; configuration: { schedule?: string; callbackUrl?: string } }

/** An invalid schedule would silently never fire. */
function scheduleBlockers({ isSchedule }: ControlPlanePorts, { kind, spec }: DeployableResource): string[] {
  const triggers = kind === 'job' || kind === 'agent' ? ((spec.triggers ?? []) as Trigger[]) : []
  const schedules = triggers.flatMap(({ type, enabled, configuration }) =>
    type === 'cron' && enabled ? [configuration.schedule ?? ''] : [],
  )
  const wrong = schedules.filter((schedule) => !isSchedule(schedule))
  return wrong.map(
    (schedule) =>
      `The schedule "${schedule}" is invalid: use five fields, minute to day of week, for an existing date, or a name such as @daily. It is in UTC unless it starts with CRON_TZ= and a time zone.`,
  )
}

const jobBlockers = ({ kind, spec }: DeployableResource): string[] =>
  kind === 'job' ? [...volumeProblems(spec), ...(spec.githubRunner ? [noRunner] : [])] : []

const noRunner =
  'This platform registers no runners at GitHub: remove spec.githubRunner, and start the job by a trigger from a workflow.'

async function connectionBlockers(ports: ControlPlanePorts, resource: DeployableResource): Promise<string[]> {
  const { workspace, kind, spec } = resource
  const names = (spec.integrationConnections ?? []) as string[]
  const found = await Promise.all(
    names.map((name) => ports.resources.find({ workspace, kind: 'integrationconnection', parent: '', name })),
  )
  const api = modelApiOf(resource)
  return [
    ...(api ? apiBlockers(ports, api, names, found[0]) : []),
    ...names.flatMap((name, at) =>
      connectionBlocker(name, found[at], kind === 'function' ? ports.integrations : undefined),
    ),
  ]
}

function apiBlockers(
  { missingSecrets }: ControlPlanePorts,
  api: { type: string; model: string },
  [name]: string[],
  connection: Resource | undefined,
): string[] {
  if (name === undefined) return [`It needs the key of ${api.type}: set a connection in spec.integrationConnections.`]
  if (!connection) return []
  const lacking = missingSecrets(api, Object.keys(connection.spec.secret ?? {}))
  if (lacking.length === 0) return []
  return [`The connection ${name} lacks ${lacking.join(' and ')}: add it to its secrets, then update this resource.`]
}

/** Only functions use the integration's tools. Agents and models use only the secrets. */
function connectionBlocker(
  name: string,
  connection: Resource | undefined,
  integrations?: ControlPlanePorts['integrations'],
) {
  if (!connection) return [missing('integration connection', name)]
  const integration = String(connection.spec.integration)
  if (!integrations || integrations.has(integration)) return []
  return [`The integration ${integration} is unknown: add it to the integrations file (INTEGRATIONS_FILE).`]
}

const missing = (what: string, name: string) => `There is no ${what} ${name}: create it, then update this resource.`

type Reference = { kind: string; what: string; name: string }

async function referenceBlockers({ resources }: ControlPlanePorts, resource: DeployableResource): Promise<string[]> {
  const { workspace } = resource
  const named = referencesOf(resource)
  const found = await Promise.all(named.map(({ kind, name }) => resources.find({ workspace, kind, parent: '', name })))
  const problems = named.map(({ kind, what, name }, at) => {
    const reference = found[at]
    if (!reference) return missing(what, name)
    return kind === 'policy' ? policyProblem(resource.kind, reference) : undefined
  })
  return problems.filter((problem) => problem !== undefined)
}

function referencesOf({ kind, spec }: DeployableResource): Reference[] {
  const policies = ((spec.policies ?? []) as string[]).map((name) => ({ kind: 'policy', what: 'policy', name }))
  const template = typeof spec.template === 'string' ? [spec.template] : []
  const templates = template.map((name) => ({ kind: 'volumetemplate', what: 'volume template', name }))
  // Volumes of a job are temporary folders of its tasks, not references.
  const storage = kind === 'job' ? [] : [...mountsOf('volume', spec.volumes), ...mountsOf('drive', spec.drives)]
  return [...policies, ...templates, ...storage]
}

const mountsOf = (kind: string, mounts: Json | undefined): Reference[] =>
  ((mounts ?? []) as Array<{ name: string }>).map(({ name }) => ({ kind, what: kind, name }))

/** An undeliverable callback does not stop the workload, so it is a warning. */
export function findWarnings({ mayCallBack }: ControlPlanePorts, { spec }: Resource): string[] {
  const triggers = (spec.triggers ?? []) as Trigger[]
  const urls = triggers.flatMap(({ enabled, configuration: { callbackUrl } }) =>
    enabled && callbackUrl !== undefined && !mayCallBack(callbackUrl) ? [new URL(callbackUrl).host] : [],
  )
  return [...new Set(urls)].map(
    (host) => `The callback host ${host} can't be called: it must use https, a public address and port 443.`,
  )
}
