import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import type { Caller, Member } from '../../shared/domain/caller.ts'
import type { KeptContainer } from '../../shared/domain/engine.ts'
import type { SharedPorts } from '../../shared/domain/ports.ts'
import type { ListedResource, PageQuery } from './listing.ts'
import type { Document, Resource, ResourceKey } from './resource.ts'
import type { RevisedKind, Revision } from './revisions.ts'
import type { Workspaces } from './workspace.ts'

type Decide = (current: Resource) => Promise<Resource> | Resource

/** All functions except `stranded` and `expired` take the workspace, so no query crosses workspaces. */
export type Resources = {
  add(resource: Resource, by: Actor): Promise<void>
  find(key: ResourceKey): Promise<Resource | undefined>
  /** Reads, decides and writes in one transaction. Returns undefined if the resource is missing. `by` defaults to the service. */
  change(key: ResourceKey, decide: Decide, by?: Actor): Promise<Resource | undefined>
  remove(key: ResourceKey, by: Actor): Promise<Resource | undefined>
  /** In all workspaces. */
  expired(): Promise<ResourceKey[]>
  /** A no-op if its expiry has changed. */
  removeExpired(key: ResourceKey, by: Actor): Promise<Resource | undefined>
  page(query: PageQuery): Promise<ListedResource[]>
  count(workspace: string, kind: string): Promise<number>
  referencesTo(workspace: string, kinds: readonly string[], reference: Document): Promise<string[]>
  hasChildren(workspace: string, kind: string, parent: string): Promise<boolean>
  /** Maps attached volumes to their resource (`sandbox:box`). */
  attachments(workspace: string, volumes: readonly string[]): Promise<Map<string, string>>
  /** Unfinished deployments of stopped processes, in all workspaces. */
  stranded(before: Date): Promise<ResourceKey[]>
}

export type Vault = {
  seal(plaintext: Secret, context: string): string
  open(envelope: string, context: string): Secret
}

/** Thrown by `add` if a concurrent create took the address. */
export class AddressTaken extends Error {}

export type EgressAddresses = {
  nextFree(family: 'IPv4' | 'IPv6', among: number): Promise<string | undefined>
}

export type ServedResource = Pick<
  Resource,
  'id' | 'workspace' | 'kind' | 'name' | 'displayName' | 'spec' | 'state' | 'sealed' | 'status' | 'version'
>

type SandboxWithImage = KeptContainer & { status: string }

/** `connections` are the existing ones, in the order of the function's spec. */
export type FunctionWithConnections = { found: ServedResource; connections: ServedResource[] }

/** How an image runs. Built-in images run as `both`; the engine runs others, if it can, as `container`. */
export type RuntimeKind = 'address' | 'command' | 'both' | 'container'

type PreparedWorkload = KeptContainer & { kind: string }

/** `again`: the resource changed in the meantime. */
export type Settling = { again: boolean; stop: AbortController }

export type AccountAccess = {
  enter(caller: Caller, workspace: string | undefined): Promise<Member>
  openTo(caller: Caller): Promise<string[]>
  accountFor(caller: Caller, wanted: string | undefined): Promise<string>
  accountsOf(caller: Caller): Promise<string[]>
}

export type ServedRevisions = Pick<Resource, 'id' | 'workspace' | 'name' | 'spec' | 'state' | 'status'> & {
  kind: RevisedKind
  /** Time of the last update or event. */
  settledAt: Date
  earlier: Array<{ id: string; image: string; minScale?: number | undefined; maxScale?: number | undefined }>
}

export type Revisions = {
  /** Earlier accepted revisions, newest first. */
  earlier(resource: string): Promise<Revision[]>
  /** Reads all resources with revisions, in all workspaces. */
  served(): Promise<ServedRevisions[]>
}

export type ControlPlanePorts = SharedPorts &
  AccountAccess & {
    resources: Resources
    workspaces: Workspaces
    addresses: EgressAddresses
    scheduledWorkloads(kind: 'agent' | 'job'): Promise<Resource[]>
    /** In all workspaces, or one by its ID. */
    sandboxesWithImages(id?: string): Promise<SandboxWithImage[]>
    revisions: Revisions
    /** Those of these volumes and drives that no longer exist. */
    removedStorage(ids: readonly string[]): Promise<string[]>
    /** Of all workspaces. */
    unverifiedDomains(): Promise<Resource[]>
    txtRecords(name: string): Promise<string[]>
    isDomainProof(record: string, customDomain: string): boolean
    /** The previews of hosts of verified custom domains. */
    customHosts(): Promise<Map<string, string>>
    previewAt(label: string): Promise<string | undefined>
    /** Whether a preview can choose its host. */
    hasPreviewHosts: boolean
    previewById(kind: 'preview' | 'previewtoken', id: string): Promise<Resource | undefined>
    connectionsTo(integrations: readonly string[]): Promise<Array<{ workspace: string; name: string }>>
    /** Returns the same object until the function or a connection changes. */
    functionConnections(workspace: string, name: string): Promise<FunctionWithConnections | undefined>
    vault: Vault
    integrations: { has(id: string): boolean }
    runtimeKindOf(image: string): RuntimeKind | undefined
    /** Whether sandboxes in containers have volumes and drives. */
    hasVolumes: boolean
    /** Whether servers in containers can be reached. */
    hasPorts: boolean
    /** Brings the container or its image to the engine. An aborted signal ends the wait. */
    prepareContainer(workload: PreparedWorkload, signal: AbortSignal): Promise<{ problem?: string }>
    /** Deployments under way in this process, by resource. */
    settling: Map<string, Settling>
    isSchedule(text: string): boolean
    /** Secrets that the API of a model requires beyond `names`. */
    missingSecrets(api: { type: string; model: string }, names: readonly string[]): string[]
    mayCallBack(url: string): boolean
  }
