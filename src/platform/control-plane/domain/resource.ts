import { toolPrefixLabel, toolPrefixPattern } from '../../../contract/control-plane/workloads.ts'
import type { CoreEvent } from '../../../contract/resource.ts'

export type Json = null | boolean | number | string | Json[] | Document
export type Document = { [name: string]: Json | undefined }

/** `parent` is empty except for nested kinds. */
export type ResourceKey = { workspace: string; kind: string; parent: string; name: string }

export type Resource = ResourceKey & {
  id: string
  displayName: string
  labels: Record<string, string>
  /** Secret values are masked. `sealed` holds them. */
  spec: Document
  state: Document
  sealed: string | null
  status: string | null
  events: CoreEvent[]
  version: number
  createdAt: Date
  updatedAt: Date
  createdBy: string
  updatedBy: string
}

/** The text searched by `q`. Queries don't match across lines. */
export function searchText({ name, displayName, labels }: Pick<Resource, 'name' | 'displayName' | 'labels'>): string {
  const lines = [name, displayName, ...Object.entries(labels).flat()].map((text) => inOneLine(text).toLowerCase())
  return [...new Set(lines)].join('\n')
}

export const inOneLine = (text: string): string => text.replaceAll('\n', ' ')

/** Of a function. An invalid label is ignored. */
export function toolPrefixIn({ labels }: Pick<Resource, 'labels'>): string | undefined {
  const prefix = Object.hasOwn(labels, toolPrefixLabel) ? labels[toolPrefixLabel] : undefined
  return prefix !== undefined && toolPrefixPattern.test(prefix) ? prefix : undefined
}
