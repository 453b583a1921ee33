import type { z } from 'zod'
import type { Document, Resource } from './resource.ts'

/** All that tells one kind of resource from another. A new kind is a new value of this type. */
export type Kind = {
  /** The word in the database and in references (`sandbox:box`). */
  name: string
  /** Below the base address. */
  path: string
  /** The word before the colon in scopes. */
  scope: string
  /** How the newest version lists it. */
  listing: 'pages' | 'array'
  /** Parses a spec and drops what it does not know. */
  spec: z.ZodType<Document>
  /** Only workspace admins may write. */
  adminWrites?: true
  /** JSON pointers to the secret values of a spec. */
  secrets?: (spec: Document) => string[]
  /** JSON pointers into the spec that may not change. */
  immutable?: readonly string[]
  /** A workload: its status walks, and it has an address on the gateway. */
  deploys?: true
  /** Kinds that name this one in a list of their spec; while they do, it cannot be deleted. */
  heldBy?: { kinds: readonly string[]; member: string }
  /** Further members of the document, `state` for example. */
  extras?: (resource: Resource) => Document
}
