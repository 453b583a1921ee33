import { randomUUID } from 'node:crypto'
import { actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure, readableOrLost } from '../../shared/domain/failure.ts'
import { deploymentStep, startDeployment, withNotices } from '../domain/deployment.ts'
import { assertMayDelegate, type Kind, keptSpec, type ResourceInput } from '../domain/kind.ts'
import { type SecretValues, unmask } from '../domain/masking.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'
import { hasRevisions, isSameRuntime, withRevision } from '../domain/revisions.ts'
import { openSecrets, ownedSecrets, sealSpec, showMade } from '../domain/secrets.ts'
import { isServed } from '../domain/served-image.ts'
import { effectNotices } from '../domain/without-effect.ts'
import { createResource } from './create-resource.ts'
import { unknownResource } from './find-resource.ts'
import {
  assertHostAllowed,
  assertNotReferenced,
  assertRevisionsExist,
  assertVolumesFree,
} from './resource-assertions.ts'
import { settleSoon } from './settle-deployment.ts'

type Change = { kind: Kind; member: Member; key: ResourceKey; input: ResourceInput }

/** Creates a missing resource if the kind allows it. */
export async function updateResource(ports: ControlPlanePorts, change: Change): Promise<Resource> {
  const { kind, member, key, input } = change
  try {
    return await updateExisting(ports, change)
  } catch (error) {
    const missing = error instanceof Failure && error.code === 'resource_unknown'
    if (!missing || kind.putScope !== 'upsert' || input.metadata.name !== key.name) throw error
    return createResource(ports, { kind, member, parent: key.parent, input })
  }
}

async function updateExisting(
  ports: ControlPlanePorts,
  { kind, member: { caller }, key, input }: Change,
): Promise<Resource> {
  await assertVolumesFree(ports, kind, key.workspace, key.name, input.spec)
  await assertRevisionsExist(ports, key, input.spec)
  await assertHostAllowed(ports, kind, key.workspace, input.spec)
  let shown: SecretValues = {}
  const decide = (current: Resource): Resource => {
    const spec = keptSpec(kind, current, input)
    assertMayDelegate(kind, caller, spec, current.spec)
    const { stored, made } = sealSpec(ports.vault, kind, current, spec, ownedSecrets(ports.vault, kind, current))
    shown = made
    const now = ports.now()
    const isRevised = changesRevision(ports.vault, current, stored)
    const next = {
      ...current,
      displayName: input.metadata.displayName ?? current.displayName,
      labels: input.metadata.labels ?? current.labels,
      ...stored,
      ...(isRevised && { state: withRevision(current.state, randomUUID(), caller.label, now) }),
      ...(deploysAgain(kind, current) && startDeployment(current.events, stored.spec.enabled !== false, now)),
      version: current.version + 1,
      updatedAt: now,
      updatedBy: caller.label,
    }
    return withNotices(
      next,
      effectNotices(kind, spec, { dropped: input.dropped, isServed: isServed(ports, kind.name, spec), ...ports }),
      now,
    )
  }
  const changed = await ports.resources.change(key, decide, actorOf(caller))
  if (!changed) throw unknownResource(kind)
  if (deploysAgain(kind, changed)) settleSoon(ports, changed)
  return showMade(changed, shown)
}

/** Sealing is not deterministic, so values are opened before they are compared. */
function changesRevision(
  vault: ControlPlanePorts['vault'],
  current: Resource,
  stored: Pick<Resource, 'spec' | 'sealed'>,
) {
  if (!hasRevisions(current.kind, current.spec) && !hasRevisions(current.kind, stored.spec)) return false
  const runtimeOf = (of: Resource) => readableOrLost(() => unmask(of.spec, openSecrets(vault, of)).runtime)
  return !isSameRuntime(runtimeOf(current), runtimeOf({ ...current, ...stored }))
}

/** Resources that are ready at once are checked again only if they are not ready. */
const deploysAgain = ({ deploys }: Kind, { status }: Resource) =>
  deploys === 'async' || (deploys === 'at once' && (status === 'FAILED' || status === 'DEPLOYING'))

export async function deleteResource(
  ports: ControlPlanePorts,
  { kind, member: { caller }, key }: Omit<Change, 'input'>,
): Promise<Resource> {
  await assertNotReferenced(ports, kind, key)
  const removed = await ports.resources.remove(key, actorOf(caller))
  if (!removed) throw unknownResource(kind)
  const now = ports.now()
  const changed = { ...removed, updatedAt: now, updatedBy: caller.label }
  return kind.deploys
    ? { ...changed, ...deploymentStep(removed.events, 'DELETING', 'Deletion started.', now) }
    : changed
}
