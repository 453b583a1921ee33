import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { type MetadataInput, maskedSecret } from '../../../contract/resource.ts'
import { type Caller, requireScope } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type SecretPosition, valueAt } from './masking.ts'
import type { Document, Resource } from './resource.ts'

/** `dropped`: members of the request that are unknown, so not part of `spec`. */
export type ResourceInput = { metadata: MetadataInput; spec: Document; dropped?: readonly string[] }

/** For members of documents that are not stored. */
export type DocumentNeeds = {
  previewUrl(preview: Pick<Resource, 'id' | 'workspace' | 'spec'>): string
  /** The value of a TXT record for a custom domain, and the host of its CNAME record. */
  domainProof(id: string): string
  domainTarget: string
  previewToken(tokenId: string): string
  now: () => Date
}

export type Kind = {
  /** Name in the database and in references (`sandbox:box`). */
  name: string
  /** Below the base path. A nested kind has parameters for its parents. */
  path: string
  param: string
  scope: string
  /** Scope action of PUT. Defaults to `update`. */
  putScope?: 'upsert'
  /** Scope action of all operations: the caller gets what it allows. */
  everyScope?: 'control'
  /** List format of the newest API version. */
  listing: 'pages' | 'array'
  input: z.ZodType<ResourceInput>
  document: z.ZodType
  /** A sentence for owners of resources that only exist in the API. */
  noEffect?: string
  /** Without a status, events are shown only if this is set or the kind has no effect. */
  hasEvents?: true
  adminWrites?: true
  /** Positions and owners of the secret values in a spec. */
  secrets?: (spec: Document) => SecretPosition[]
  /** The parts of a spec that determine where its secrets are sent. */
  secretsGoTo?: (spec: Document) => unknown
  /** JSON pointers of missing secrets that the service generates. */
  missingSecrets?: (spec: Document) => string[]
  /** Query of a read. Admins may request the secrets. */
  query?: z.ZodType<{ show_secrets: boolean }>
  /** Members of the spec that can be set only at creation. */
  immutable?: readonly string[]
  /** Immutable members that can also be set once later. */
  setOnce?: readonly string[]
  /** Members of the spec that only the service sets, at creation. */
  assigned?: readonly string[]
  /** `async`: a workload with a gateway URL, deployed after the response. `at once`: ready on creation. */
  deploys?: 'async' | 'at once'
  /** Started by the API instead of being called at the gateway. */
  startedAtApi?: true
  /** Gets its own host if there is a sandbox domain. */
  ownHost?: true
  /** Parent kinds, outermost first, with their path parameters. */
  parents?: ReadonlyArray<{ kind: string; param: string }>
  /** Child kind. A resource with children can't be deleted. */
  child?: string
  /** Kinds whose spec may refer to it. A referenced resource can't be deleted. */
  referencedBy?: { kinds: readonly string[]; reference: (name: string) => Document }
  attaches?: (spec: Document) => string[]
  /** Scopes of callers who set a member, because the workload then does what the scope allows. */
  delegates?: Readonly<Record<string, string>>
  attachable?: true
  extras?: (resource: Resource) => Document
  extraMetadata?: (resource: Resource) => Document
  extraSpec?: (resource: Resource, needs: DocumentNeeds) => Document
  /** Response of a delete. Defaults to the document. */
  deleteResponse?: { document: z.ZodType; of: (document: Document, now: Date) => Document }
}

/** Omitted immutable members keep their value, changed ones are rejected, and assigned members never change. */
export function keptSpec(kind: Kind, current: Resource, { metadata, spec }: ResourceInput): Document {
  if (metadata.name !== current.name) throw new Failure('input_invalid', 'metadata.name may not change.')
  for (const member of kind.immutable ?? []) {
    const isOpen = current.spec[member] === undefined && kind.setOnce?.includes(member)
    if (!isOpen) assertUnchanged(member, current.spec[member], spec[member])
  }
  assertSecretsStay(kind, current.spec, spec)
  return { ...spec, ...pick(current.spec, kind.immutable), ...pick(current.spec, kind.assigned) }
}

function assertUnchanged(member: string, before: unknown, after: unknown) {
  if (after === undefined || isDeepStrictEqual(before, after)) return
  throw new Failure('input_invalid', `spec.${member} may not change.`)
}

/** Prevents a caller who can write but not read the secrets from redirecting them to another server. */
function assertSecretsStay({ secrets, secretsGoTo }: Kind, before: Document, after: Document) {
  if (!secrets || !secretsGoTo || isDeepStrictEqual(secretsGoTo(before), secretsGoTo(after))) return
  if (secrets(after).every(({ pointer }) => valueAt(after, pointer) !== maskedSecret)) return
  throw new Failure('input_invalid', 'Send the secrets again: they would go to another server.')
}

/** A member that stays, or loses items, gives nothing. */
export function assertMayDelegate({ delegates = {} }: Kind, caller: Caller, after: Document, before: Document = {}) {
  for (const [member, scope] of Object.entries(delegates)) {
    const known = (before[member] ?? []) as unknown[]
    if (((after[member] ?? []) as unknown[]).some((item) => !known.includes(item))) requireScope(caller, scope)
  }
}

const pick = (spec: Document, members: readonly string[] = []): Document =>
  Object.fromEntries(members.flatMap((member) => (spec[member] === undefined ? [] : [[member, spec[member]]])))
