import { randomUUID } from 'node:crypto'
import { actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { firstStep } from '../domain/deployment.ts'
import type { Kind, ResourceInput } from '../domain/kind.ts'
import type { Resources, Vault } from '../domain/ports.ts'
import type { Document, Resource } from '../domain/resource.ts'
import { sealSpec, showMade } from '../domain/secrets.ts'
import type { Blockers, Settle } from './settle-deployment.ts'

export type CreateResource = (kind: Kind, member: Member, parent: string, input: ResourceInput) => Promise<Resource>

/** Gives the members of a spec that the service sets; the id is new and the resource is not stored yet. */
export type Assign = (kind: Kind, workspace: string, id: string, spec: Document) => Promise<Document>

type Needs = {
  resources: Pick<Resources, 'add'>
  vault: Vault
  assign: Assign
  assert: { parentsExist: AssertParentsExist; volumesFree: AssertVolumesFree }
  blockers: Blockers
  settle: Settle
  now: () => Date
}
export type AssertParentsExist = (kind: Kind, workspace: string, parent: string) => Promise<void>
export type AssertVolumesFree = (kind: Kind, workspace: string, name: string, spec: Document) => Promise<void>

export const createResource =
  ({ resources, vault, assign, assert, blockers, settle, now }: Needs): CreateResource =>
  async (kind, member, parent, { metadata, spec }) => {
    await assert.parentsExist(kind, member.workspace, parent)
    await assert.volumesFree(kind, member.workspace, metadata.name, spec)
    const id = randomUUID()
    const whole = { ...spec, ...(await assign(kind, member.workspace, id, spec)) }
    // An asynchronous deployment looks for blockers itself, after the create was answered.
    const reasons =
      kind.deploys === 'at once' ? await blockers({ workspace: member.workspace, kind: kind.name, spec: whole }) : []
    const step = firstStep(kind, whole, reasons, now())
    const { stored, made } = sealSpec(vault, kind, { id, workspace: member.workspace }, whole)
    const resource = newResource(kind, member, { id, parent, metadata }, stored, step, now())
    await resources.add(resource, actorOf(member.caller))
    if (kind.deploys === 'async') settle.soon(resource)
    return showMade(resource, made)
  }

function newResource(
  kind: Kind,
  { caller, workspace }: Member,
  { id, parent, metadata }: Pick<ResourceInput, 'metadata'> & { id: string; parent: string },
  stored: Pick<Resource, 'spec' | 'sealed'>,
  step: ReturnType<typeof firstStep>,
  now: Date,
): Resource {
  return {
    id,
    workspace,
    kind: kind.name,
    parent,
    name: metadata.name,
    displayName: metadata.displayName ?? metadata.name,
    labels: metadata.labels ?? {},
    ...stored,
    state: {},
    ...step,
    version: 1,
    createdAt: now,
    updatedAt: now,
    createdBy: caller.label,
    updatedBy: caller.label,
  }
}
