import { isDeepStrictEqual } from 'node:util'
import type { Document, Json, Resource } from './resource.ts'

/** A revision is the runtime of an accepted deployment: image, variables, memory, ports and timeout. */
export const revisedKinds = ['agent', 'function', 'model'] as const

export type RevisedKind = (typeof revisedKinds)[number]

export type Revision = { id: string; runtime: Document; sealed: string | null; createdAt: Date; createdBy: string }

/** In a resource. `before`: what was active when `accepted` was accepted. `failed`: its container did not start. */
type RevisionState = {
  revision?: string
  revisedAt?: string
  revisedBy?: string
  accepted?: string
  before?: string
  failed?: string
}

/** When the current revision was created. */
export function madeAt(resource: Resource): Pick<Revision, 'createdAt' | 'createdBy'> {
  const { revisedAt, revisedBy } = stateOf(resource)
  return {
    createdAt: revisedAt === undefined ? resource.createdAt : new Date(revisedAt),
    createdBy: revisedBy ?? resource.createdBy,
  }
}

export const previousRevision = (resource: Pick<Revised, 'state'>): string | undefined => stateOf(resource).before

type Configured = {
  active?: string
  canary?: string
  canaryPercent?: number
  stickySessionTtl?: number
  traffic?: number
}

type Revised = Pick<Resource, 'id' | 'kind' | 'spec' | 'state' | 'status'>

export const hasRevisions = (kind: string, spec: Document): boolean =>
  servesImages(kind, spec) && Boolean((spec.runtime as { image?: string })?.image)

/** The tools of a function with connections are those of their integrations. */
export const servesImages = (kind: string, spec: Document): boolean =>
  kind === 'function'
    ? ((spec.integrationConnections ?? []) as unknown[]).length === 0
    : (revisedKinds as readonly string[]).includes(kind)

/** Compares runtimes with their secrets. One that cannot be read (undefined) differs from all. */
export const isSameRuntime = (one: Json | undefined, other: Json | undefined): boolean =>
  one !== undefined && isDeepStrictEqual(one, other)

const stateOf = ({ state }: Pick<Revised, 'state'>) => state as RevisionState

/** The first revision of a resource has its ID. */
export const currentRevision = ({ id, state }: Pick<Revised, 'id' | 'state'>): string =>
  stateOf({ state }).revision ?? id

export const revisionConfig = ({ spec }: Pick<Revised, 'spec'>): Configured => (spec.revision ?? {}) as Configured

/** Undefined before the first deployment has succeeded. */
export function acceptedRevision(resource: Revised): string | undefined {
  const wasDeployed = ['DEPLOYED', 'DEACTIVATING', 'DEACTIVATED'].includes(resource.status ?? '')
  return stateOf(resource).accepted ?? (wasDeployed ? resource.id : undefined)
}

export type Traffic = { active: string; canary: string | undefined; canaryPercent: number }

/**
 * By default the newest revision gets all requests. With `traffic`, it gets only these percent, and the others go to
 * `active`, or else to the revision before it. `canary` names another one than the newest.
 */
export function trafficOf(resource: Revised): Traffic {
  const { active: named, canary: second, canaryPercent = 0, traffic } = revisionConfig(resource)
  const current = currentRevision(resource)
  const newest = acceptedRevision(resource) ?? current
  const isUsable = (id: string | undefined) => Boolean(id) && (id !== current || newest === current)
  const active = [named, traffic === undefined ? undefined : stateOf(resource).before, newest].find(isUsable) ?? newest
  const canary = isUsable(second) ? second : traffic === undefined ? undefined : newest
  const percent = second ? canaryPercent : (traffic ?? 0)
  if (canary === undefined || canary === active || percent === 0) return { active, canary: undefined, canaryPercent: 0 }
  if (percent === 100) return { active: canary, canary: undefined, canaryPercent: 0 }
  return { active, canary, canaryPercent: percent }
}

export const percentOf = ({ active, canary, canaryPercent }: Traffic, id: string): number =>
  id === canary ? canaryPercent : id === active ? 100 - canaryPercent : 0

/** True also while a deployment is under way, and after one whose container did not start. */
export function isServing(resource: Revised): boolean {
  const { accepted, failed } = stateOf(resource)
  const { status } = resource
  if (status === 'DEPLOYED' || status === 'DEPLOYING') return true
  const current = currentRevision(resource)
  return status === 'FAILED' && failed === current && accepted !== undefined && accepted !== current
}

export const withRevision = (state: Document, revision: string, by: string, now: Date): Document => ({
  ...state,
  ...{ revision, revisedAt: now.toISOString(), revisedBy: by },
})

/** After a deployment. */
export function settledState(resource: Revised, outcome: 'accepted' | 'container_failed' | 'other'): Document {
  const { failed: _, ...state } = resource.state
  const current = currentRevision(resource)
  if (outcome === 'container_failed') return { ...state, failed: current }
  const accepted = acceptedRevision(resource)
  if (outcome === 'other' || accepted === current) return state
  return { ...state, accepted: current, ...(accepted !== undefined && { before: trafficOf(resource).active }) }
}
