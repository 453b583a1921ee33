import { actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { startDeployment } from '../domain/deployment.ts'
import { type Kind, keptSpec, type ResourceInput } from '../domain/kind.ts'
import type { SecretValues } from '../domain/masking.ts'
import type { Resources, Vault } from '../domain/ports.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'
import { ownedSecrets, sealSpec, showMade } from '../domain/secrets.ts'
import type { CreateResource } from './create-resource.ts'
import type { ResourceAssertions } from './resource-assertions.ts'
import type { Settle } from './settle-deployment.ts'

export type UpdateResource = (kind: Kind, member: Member, key: ResourceKey, input: ResourceInput) => Promise<Resource>

type Needs = {
  resources: Pick<Resources, 'change'>
  vault: Vault
  assert: Pick<ResourceAssertions, 'volumesFree'>
  settle: Settle
  now: () => Date
}

export const updateResource =
  ({ resources, vault, assert, settle, now }: Needs): UpdateResource =>
  async (kind, { caller }, key, input) => {
    await assert.volumesFree(kind, key.workspace, key.name, input.spec)
    let shown: SecretValues = {}
    const decide = (current: Resource) => {
      const spec = keptSpec(kind, current, input)
      const { stored, made } = sealSpec(vault, kind, current, spec, ownedSecrets(vault, kind, current))
      shown = made
      return updated(kind, current, input, stored, caller.label, now())
    }
    const changed = await resources.change(key, decide, actorOf(caller))
    if (!changed) throw new Failure('resource_unknown', `No ${kind.name} has this name.`)
    if (deploysAgain(kind, changed)) settle.soon(changed)
    return showMade(changed, shown)
  }

/** For kinds whose PUT also creates. */
export const updateOrCreate =
  (update: UpdateResource, create: CreateResource): UpdateResource =>
  async (kind, member, key, input) => {
    try {
      return await update(kind, member, key, input)
    } catch (error) {
      const missing = error instanceof Failure && error.code === 'resource_unknown'
      if (!missing || kind.putScope !== 'upsert' || input.metadata.name !== key.name) throw error
      return create(kind, member, key.parent, input)
    }
  }

/** What was ready at once needs a second look only where it was not. */
const deploysAgain = ({ deploys }: Kind, { status }: Resource) =>
  deploys === 'async' || (deploys === 'at once' && (status === 'FAILED' || status === 'DEPLOYING'))

function updated(
  kind: Kind,
  current: Resource,
  input: ResourceInput,
  stored: Pick<Resource, 'spec' | 'sealed'>,
  by: string,
  now: Date,
): Resource {
  return {
    ...current,
    displayName: input.metadata.displayName ?? current.displayName,
    labels: input.metadata.labels ?? current.labels,
    ...stored,
    ...(deploysAgain(kind, current) && startDeployment(current.events, stored.spec.enabled !== false, now)),
    version: current.version + 1,
    updatedAt: now,
    updatedBy: by,
  }
}
