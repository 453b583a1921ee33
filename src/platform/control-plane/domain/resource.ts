import type { CoreEvent } from '../../../contract/resource.ts'

export type Json = null | boolean | number | string | Json[] | Document
export type Document = { [name: string]: Json | undefined }

/** Where a resource is: `parent` is empty for all but those that live inside another one. */
export type ResourceKey = { workspace: string; kind: string; parent: string; name: string }

/** A resource of any kind, as it is stored. */
export type Resource = ResourceKey & {
  id: string
  displayName: string
  labels: Record<string, string>
  /** Secret values are masked here; `sealed` has them. */
  spec: Document
  state: Document
  sealed: string | null
  status: string | null
  events: CoreEvent[]
  /** Grows with every update by a caller. */
  version: number
  createdAt: Date
  updatedAt: Date
  createdBy: string
  updatedBy: string
}

/** The text that `q` searches: a line for each part, and no query goes over the end of a line. */
export function searchText({ name, displayName, labels }: Pick<Resource, 'name' | 'displayName' | 'labels'>): string {
  const lines = [name, displayName, ...Object.entries(labels).flat()].map((text) => inOneLine(text).toLowerCase())
  // Each once: a name that is also the display name would be taken apart twice for the index.
  return [...new Set(lines)].join('\n')
}

export const inOneLine = (text: string): string => text.replaceAll('\n', ' ')
