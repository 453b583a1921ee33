import type { Secret } from '../../../kit/secret.ts'
import type { Listed, PageQuery } from './listing.ts'
import type { Resource, ResourceKey } from './resource.ts'

export type Resources = {
  add(resource: Resource): Promise<void>
  find(key: ResourceKey): Promise<Resource | undefined>
  /** Reads, decides and writes as one step. Undefined: it is not there. */
  change(key: ResourceKey, decide: (current: Resource) => Promise<Resource> | Resource): Promise<Resource | undefined>
  remove(key: ResourceKey, allow: (current: Resource) => void): Promise<Resource | undefined>
  page(query: PageQuery): Promise<Listed[]>
  count(workspace: string, kind: string): Promise<number>
  holders(workspace: string, kinds: readonly string[], member: string, name: string): Promise<string[]>
  stranded(before: Date): Promise<ResourceKey[]>
}

export type Vault = {
  seal(plaintext: Secret, context: string): string
  open(envelope: string, context: string): Secret
}
