import { Secret } from '../../../kit/crypto/secret.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import type { Trigger } from '../../shared/domain/callback.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { pointer, unmask } from '../domain/masking.ts'
import { tokenLimitsOf } from '../domain/policy.ts'
import type { ControlPlanePorts, FunctionWithConnections, ServedResource } from '../domain/ports.ts'
import { servedPreview, servedToken } from '../domain/preview.ts'
import { type Document, type Resource, toolPrefixIn } from '../domain/resource.ts'
import { isServing, servesImages } from '../domain/revisions.ts'
import { openSecrets, readableOnly, sealSecrets } from '../domain/secrets.ts'
import {
  containersOf,
  portIn,
  type ServedImage,
  scaleIn,
  servedContainer,
  variablesIn,
} from '../domain/served-image.ts'
import { noteCallback, noteConnection } from './note-events.ts'
import { openSpec, splitSpec } from './open-revisions.ts'

type Ports = Pick<
  ControlPlanePorts,
  | 'resources'
  | 'scheduledWorkloads'
  | 'sandboxesWithImages'
  | 'removedStorage'
  | 'revisions'
  | 'previewById'
  | 'previewAt'
  | 'customHosts'
  | 'connectionsTo'
  | 'functionConnections'
  | 'vault'
  | 'now'
>

type ConnectionVersion = { workspace: string; name: string; version: number }

type Mount = { name: string; mountPath: string; readOnly: boolean }
type Workload = ReturnType<typeof toWorkload>

const refreshTokenPointer = pointer('secret', 'REFRESH_TOKEN')

export const serveGateway = ({ resources, vault, now, ...ports }: Ports) => ({
  connectionsTo: ports.connectionsTo,

  async findFunction(workspace: string, name: string) {
    const found = await resources.find({ workspace, kind: 'function', parent: '', name })
    return found && { ...toFunction(found), toolPrefix: toolPrefixIn(found) }
  },

  findFunctionWithConnections: openedFunctions(ports.functionConnections, vault),

  async findWorkload(workspace: string, kind: 'agent' | 'function' | 'model' | 'sandbox', name: string) {
    const found = await resources.find({ workspace, kind, parent: '', name })
    if (!found) return undefined
    const { spec, revision, isServing, canary, stickySeconds } = await splitSpec({ ...ports, vault }, found)
    const ofRevision = (id: string, theirs: Document) => ({
      ...toWorkload(found, theirs, id),
      ...(isServing && { status: 'DEPLOYED' }),
    })
    return {
      ...ofRevision(revision, spec),
      stickySeconds,
      canary: canary && { percent: canary.percent, workload: ofRevision(canary.revision, canary.spec) },
    }
  },

  agentsWithSchedules: async () =>
    readableOnly(await ports.scheduledWorkloads('agent'), (found) => ({
      uid: found.id,
      workspace: found.workspace,
      name: found.name,
      triggers: toWorkload(found, unmask(found.spec, openSecrets(vault, found))).triggers,
      updatedAt: found.updatedAt,
    })),

  removedStorage: ports.removedStorage,

  async sandboxesWithImages(id?: string) {
    const all = await ports.sandboxesWithImages(id)
    return all.map(({ status, ...sandbox }) => ({ ...sandbox, isWanted: isWanted(status) }))
  },

  async findTokenLimits(workspace: string, policies: string[]) {
    const found = policies.map((name) => resources.find({ workspace, kind: 'policy', parent: '', name }))
    return (await Promise.all(found)).flatMap((policy) => (policy ? tokenLimitsOf(policy) : []))
  },

  async servedImages() {
    return (await ports.revisions.served()).flatMap((served) => containersOf(served, now()))
  },

  /** With its variables. Undefined if it was replaced. */
  async servedContainer({ workspace, kind, name, id, revision }: ServedImage) {
    const found = await resources.find({ workspace, kind, parent: '', name })
    const spec = found && (await openSpec({ ...ports, vault }, found, revision))
    return spec && servedContainer(id, spec)
  },

  async findStorage(workspace: string, kind: 'volume' | 'drive', names: string[]) {
    const found = await Promise.all(names.map((name) => resources.find({ workspace, kind, parent: '', name })))
    return new Map(found.flatMap((each) => (each ? [[each.name, toStorage(each)] as const] : [])))
  },

  async changeDrives({ caller, workspace }: Member, name: string, decide: (sandbox: Workload) => Mount[]) {
    const changed = await resources.change(
      { workspace, kind: 'sandbox', parent: '', name },
      (current) => {
        const sandbox = toWorkload(current, current.spec)
        const drives = decide(sandbox)
        if (drives === sandbox.drives) return current
        const spec = { ...current.spec, drives }
        return { ...current, spec, version: current.version + 1, updatedAt: now(), updatedBy: caller.label }
      },
      actorOf(caller),
    )
    return changed && toWorkload(changed, changed.spec)
  },

  async findConnection(workspace: string, name: string) {
    const found = await resources.find({ workspace, kind: 'integrationconnection', parent: '', name })
    return found && toConnection(found, openSecrets(vault, found))
  },

  async rotateRefreshToken({ workspace, name, version }: ConnectionVersion, refreshToken: Secret) {
    await resources.change({ workspace, kind: 'integrationconnection', parent: '', name }, (current) => {
      if (current.version !== version) return current
      const secrets = { ...openSecrets(vault, current), [refreshTokenPointer]: refreshToken.reveal() }
      return { ...current, sealed: sealSecrets(vault, current, secrets) }
    })
  },

  async findPreview(id: string) {
    const found = await ports.previewById('preview', id)
    return found && servedPreview({ ...found, spec: unmask(found.spec, openSecrets(vault, found)) })
  },

  findPreviewAt: ports.previewAt,
  customHosts: ports.customHosts,

  async findPreviewToken(id: string) {
    const found = await ports.previewById('previewtoken', id)
    return found && servedToken(found)
  },

  noteCallback: noteCallback({ resources, now }, 'agent'),

  ...noteConnection({ resources, now }),
})

const isWanted = (status: string) => status === 'DEPLOYED' || status === 'DEPLOYING'

/** Caches opened secrets until they change, because decrypting takes longer than reading. */
function openedFunctions(functionConnections: Ports['functionConnections'], vault: Ports['vault']) {
  const open = ({ found, connections }: FunctionWithConnections) => ({
    ...toFunction(found),
    connections: connections.map((each) => toConnection(each, openSecrets(vault, each))),
  })
  const known = new WeakMap<FunctionWithConnections, ReturnType<typeof open>>()
  return async (workspace: string, name: string) => {
    const served = await functionConnections(workspace, name)
    if (!served) return undefined
    const opened = known.get(served) ?? open(served)
    known.set(served, opened)
    return opened
  }
}

function toFunction(found: ServedResource) {
  const { id, kind, name, displayName, spec } = found
  const status = found.status === 'FAILED' && isServing(found) ? 'DEPLOYED' : found.status
  const { memory: memoryMb, image = '' } = spec.runtime as { memory: number; image?: string }
  return { id, name, displayName, status: status ?? '', memoryMb, image: servesImages(kind, spec) ? image : '' }
}

type Runtime = {
  image?: string
  memory: number
  type?: string
  model?: string
  timeout?: number
}

function toWorkload({ id, name, displayName, status }: Resource, spec: Document, revision = id) {
  const { image = '', memory: memoryMb, type, model, timeout: timeoutSeconds } = spec.runtime as Runtime
  return {
    id,
    revision,
    name,
    displayName,
    status: status ?? '',
    image,
    api: type && model ? { type, model } : undefined,
    memoryMb,
    timeoutSeconds,
    port: portIn(spec),
    maxContainers: scaleIn(spec).max,
    envs: variablesIn(spec),
    connections: (spec.integrationConnections ?? []) as string[],
    triggers: (spec.triggers ?? []) as Trigger[],
    volumes: (spec.volumes ?? []) as Mount[],
    drives: (spec.drives ?? []) as Mount[],
    functions: (spec.functions ?? []) as string[],
    policies: (spec.policies ?? []) as string[],
  }
}

/** Volumes have their size in MB, drives in GB. */
function toStorage({ id, kind, spec: { size } }: Resource) {
  const mbPerUnit = kind === 'drive' ? 1_024 : 1
  return { id, maxMb: typeof size === 'number' ? size * mbPerUnit : undefined }
}

function toConnection({ id, version, workspace, name, spec }: ServedResource, secrets: Record<string, string>) {
  const names = Object.keys(spec.secret ?? {})
  const byName = Object.fromEntries(names.map((inner) => [inner, secrets[pointer('secret', inner)] ?? '']))
  const { integration, config, repairUrl } = spec as ConnectionSpec
  return {
    id,
    version,
    workspace,
    name,
    integration: String(integration),
    config: config ?? {},
    secrets: new Secret(byName),
    repairUrl,
  }
}

type ConnectionSpec = { integration: unknown; config?: Record<string, string>; repairUrl?: string }
