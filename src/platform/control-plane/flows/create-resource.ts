import { randomUUID } from 'node:crypto'
import { actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { firstStep, withNotices } from '../domain/deployment.ts'
import { assertMayDelegate, type Kind, type ResourceInput } from '../domain/kind.ts'
import { AddressTaken, type ControlPlanePorts } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'
import { sealSpec, showMade } from '../domain/secrets.ts'
import { isServed } from '../domain/served-image.ts'
import { effectNotices } from '../domain/without-effect.ts'
import { assignMembers } from './assign-members.ts'
import { findBlockers } from './find-blockers.ts'
import {
  assertHostAllowed,
  assertNoRevisionNamed,
  assertParentsExist,
  assertVolumesFree,
} from './resource-assertions.ts'
import { settleSoon } from './settle-deployment.ts'

type NewResource = { kind: Kind; member: Member; parent: string; input: ResourceInput }

/** Concurrent creates may pick the same address. Each retry picks among more addresses, so that many creates succeed. */
export async function createResource(ports: ControlPlanePorts, wanted: NewResource): Promise<Resource> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await tryToCreate(ports, wanted, attempt)
    } catch (error) {
      if (!(error instanceof AddressTaken)) throw error
      if (attempt === 50) throw new Failure('store_unavailable', 'Try again in a moment.', { cause: error })
    }
  }
}

async function tryToCreate(
  ports: ControlPlanePorts,
  { kind, member: { caller, workspace }, parent, input: { metadata, spec, dropped } }: NewResource,
  attempt: number,
): Promise<Resource> {
  await assertParentsExist(ports, kind, workspace, parent)
  await assertVolumesFree(ports, kind, workspace, metadata.name, spec)
  assertNoRevisionNamed(kind, spec)
  await assertHostAllowed(ports, kind, workspace, spec)
  assertMayDelegate(kind, caller, spec)
  const id = randomUUID()
  const whole = { ...spec, ...(await assignMembers(ports, { kind, workspace, id, spec }, attempt)) }
  // An asynchronous deployment checks blockers after the response.
  const reasons =
    kind.deploys === 'at once' ? await findBlockers(ports, { workspace, kind: kind.name, spec: whole }) : []
  const now = ports.now()
  const { stored, made } = sealSpec(ports.vault, kind, { id, workspace }, whole)
  const resource: Resource = {
    id,
    workspace,
    kind: kind.name,
    parent,
    name: metadata.name,
    displayName: metadata.displayName ?? metadata.name,
    labels: metadata.labels ?? {},
    ...stored,
    state: {},
    ...withNotices(
      firstStep(kind, whole, reasons, now),
      effectNotices(kind, whole, { dropped, isServed: isServed(ports, kind.name, whole), ...ports }),
      now,
    ),
    version: 1,
    createdAt: now,
    updatedAt: now,
    createdBy: caller.label,
    updatedBy: caller.label,
  }
  await ports.resources.add(resource, actorOf(caller))
  if (kind.deploys === 'async') settleSoon(ports, resource)
  return showMade(resource, made)
}
