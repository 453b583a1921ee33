import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import type { ListedResource, PageQuery } from './listing.ts'
import type { Document, Resource, ResourceKey } from './resource.ts'

type Decide = (current: Resource) => Promise<Resource> | Resource

/** Every function takes the workspace: no query can reach across. */
export type Resources = {
  add(resource: Resource, by: Actor): Promise<void>
  find(key: ResourceKey): Promise<Resource | undefined>
  /** Reads, decides and writes as one step. Returns undefined if it does not exist. Without an actor it is the service itself. */
  change(key: ResourceKey, decide: Decide, by?: Actor): Promise<Resource | undefined>
  remove(key: ResourceKey, by: Actor): Promise<Resource | undefined>
  page(query: PageQuery): Promise<ListedResource[]>
  count(workspace: string, kind: string): Promise<number>
  /** A few of the resources that have this reference in their spec. */
  referencesTo(workspace: string, kinds: readonly string[], reference: Document): Promise<string[]>
  hasChildren(workspace: string, kind: string, parent: string): Promise<boolean>
  /** Which of these volumes are attached, and to what (`sandbox:box`). */
  attachments(workspace: string, volumes: readonly string[]): Promise<Map<string, string>>
  /** Deployments that a process left behind. Alone among these it reads all workspaces: it is the service's own. */
  stranded(before: Date): Promise<ResourceKey[]>
}

export type Vault = {
  seal(plaintext: Secret, context: string): string
  open(envelope: string, context: string): Secret
}

/** Thrown by `add` when another resource got the address first. */
export class AddressTaken extends Error {}

export type EgressAddresses = {
  /** One of so many that are the lowest free ones. */
  nextFree(family: 'IPv4' | 'IPv6', among: number): Promise<string | undefined>
}
