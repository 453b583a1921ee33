import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { type MetadataInput, maskedSecret } from '../../../contract/resource.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type SecretPosition, valueAt } from './masking.ts'
import type { Document, Resource } from './resource.ts'

export type ResourceInput = { metadata: MetadataInput; spec: Document }

/** Everything in which kinds of resources differ. A new kind is a new value of this type. */
export type Kind = {
  /** Its name in the database and in references (`sandbox:box`). */
  name: string
  /** Below the base address; a kind that lives inside another one names it on the way. */
  path: string
  /** What its name is called in paths. */
  param: string
  /** The part before the colon in scopes. */
  scope: string
  /** The action that PUT needs, where it is not `update`. */
  putScope?: 'upsert'
  /** How the newest version lists it. */
  listing: 'pages' | 'array'
  /** Parses a body and drops what it does not know. */
  input: z.ZodType<ResourceInput>
  /** What is answered. */
  document: z.ZodType
  /** Only workspace admins may write. */
  adminWrites?: true
  /** Where the secret values of a spec are, and whose. */
  secrets?: (spec: Document) => SecretPosition[]
  /** What decides where the secrets of a spec are sent. */
  secretsGoTo?: (spec: Document) => unknown
  /** Where a spec lacks a secret that the service makes, as pointers. */
  missingSecrets?: (spec: Document) => string[]
  /** What reading one of them can be asked: admins may want the secrets in clear. */
  query?: z.ZodType<{ show_secrets: boolean }>
  /** Members of the spec that are set at creation or never. */
  immutable?: readonly string[]
  /** Those of them that may also be set later, once. */
  setOnce?: readonly string[]
  /** Members of the spec that the service sets at creation and nobody changes. */
  assigned?: readonly string[]
  /** `async`: a workload, deployed after its create was answered, with an address on the gateway. `at once`: ready when it is created. */
  deploys?: 'async' | 'at once'
  /** A workload that the API starts; others are called at the gateway. */
  startedAtApi?: true
  /** A workload with a host of its own, where there is a domain for it. */
  ownHost?: true
  /** The kinds above it, outermost first, with the name of their parameter in the path. */
  parents?: ReadonlyArray<{ kind: string; param: string }>
  /** The kind below it; while there is one, it cannot be deleted. */
  child?: string
  /** Kinds whose spec may refer to it, and how; while one does, it cannot be deleted. */
  referencedBy?: { kinds: readonly string[]; reference: (name: string) => Document }
  /** Names of volumes that a spec attaches. */
  attaches?: (spec: Document) => string[]
  /** Its state is where it is attached. */
  attachable?: true
  /** Further members of the document, from the resource alone. */
  extras?: (resource: Resource) => Document
  /** Further members of the metadata. */
  extraMetadata?: (resource: Resource) => Document
  /** What a delete answers, where it is not the document alone. */
  deleteResponse?: { document: z.ZodType; of: (document: Document, now: Date) => Document }
}

/**
 * The spec an update results in: an immutable member that is left out keeps its value, one that changes is refused
 * by name, and what the service assigned stays whatever the caller says.
 */
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

/** Otherwise whoever may write, and may not read the secrets, would have them sent to a server of their own. */
function assertSecretsStay({ secrets, secretsGoTo }: Kind, before: Document, after: Document) {
  if (!secrets || !secretsGoTo || isDeepStrictEqual(secretsGoTo(before), secretsGoTo(after))) return
  if (secrets(after).every(({ pointer }) => valueAt(after, pointer) !== maskedSecret)) return
  throw new Failure('input_invalid', 'Send the secrets, too: they are for another server now.')
}

const pick = (spec: Document, members: readonly string[] = []): Document =>
  Object.fromEntries(members.flatMap((member) => (spec[member] === undefined ? [] : [[member, spec[member]]])))
