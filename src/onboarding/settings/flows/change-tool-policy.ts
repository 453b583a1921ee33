import { listFunctionGrants } from '../../connections/flows/function-access.ts'
import { ownConnection } from '../../connections/flows/own-connection.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { aboutConnection, aboutTenant } from '../../domain/audit/audit-entry.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure, missing, requestInvalid } from '../../domain/failure.ts'
import type { SettingsAudit } from '../../domain/ports/integration-settings.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import { membersThatDiffer, type SettingsVersion } from '../../domain/settings-changes/settings-version.ts'
import { type EffectivePolicy, NarrowPolicy, policySubject } from '../../domain/settings-changes/tool-policy.ts'
import { assertActive, type Caller, sightOf } from '../../domain/tenant.ts'
import { assertDeploymentKey, readTenant } from '../../tenants/flows/manage-tenants.ts'
import { listVersions, type ShownVersion } from './read-settings.ts'

/** `grant`: the policy of the grant's MCP client, for the client's logins at the connection. */
export type PolicySubject = { tenant: string } | { connection: string; grant?: string }

export type PolicyOwner = { caller: Caller } & PolicySubject

type Change = PolicyOwner & {
  actor: Actor
  ifVersion?: number | undefined
  reason?: string | undefined
}

export type ShownPolicy = {
  version: number
  policy: SettingsVersion | undefined
  effective: EffectivePolicy | undefined
}

/** `effective` only for a whole connection: the platform knows the other rules. */
export async function readToolPolicy(ports: Ports, owner: PolicyOwner): Promise<ShownPolicy> {
  const { subject } = await placeOf(ports, owner)
  const latest = await ports.toolPolicies.latest(subject)
  const effective = 'connection' in owner && owner.grant === undefined ? await effectiveOf(ports, owner) : undefined
  return { version: latest?.version ?? 0, policy: latest?.entry ? latest : undefined, effective }
}

async function effectiveOf(ports: Ports, { caller, connection: connectionId }: { caller: Caller; connection: string }) {
  const connection = await ownConnection(ports, { connectionId, ...sightOf(caller) })
  return ports.platformPolicies.effective(connection).catch((error) => {
    if (!(error instanceof DependencyError)) throw error
    throw new Failure('platform_unavailable', 'The platform is not responding as expected.', { cause: error })
  })
}

/** 0 if there never was a policy. */
export async function readToolPolicyVersion(ports: Ports, owner: PolicyOwner): Promise<number> {
  return (await ports.toolPolicies.latest((await placeOf(ports, owner)).subject))?.version ?? 0
}

export async function listToolPolicyVersions(
  ports: Ports,
  { owner, ...page }: { owner: PolicyOwner; cursor?: string | undefined; limit: number },
): Promise<Page<ShownVersion>> {
  return listVersions(ports.toolPolicies, { subject: (await placeOf(ports, owner)).subject, ...page })
}

/** Repeats an earlier version as a new one. */
export async function rollBackToolPolicy(ports: Ports, { to, ...change }: Change & { to: number }): Promise<void> {
  const { subject } = await placeOf(ports, change)
  const earlier = await ports.toolPolicies.find(subject, to)
  if (!earlier) throw missing('version of this policy')
  const policy = NarrowPolicy.optional().safeParse(earlier.entry)
  if (!policy.success) throw requestInvalid({ pointer: '/version', detail: 'is not valid any more' })
  await changeToolPolicy(ports, { ...change, policy: policy.data, restores: to })
}

/** Applies beside all wider ones, so it can only restrict. Undefined: removed. */
export async function changeToolPolicy(
  ports: Ports,
  change: Change & { policy: NarrowPolicy | undefined; restores?: number },
): Promise<void> {
  const { caller, actor, reason, ifVersion, policy, restores } = change
  if ('tenant' in change) {
    assertDeploymentKey(caller)
    assertActive(await readTenant(ports, { caller, id: change.tenant }))
  }
  const { subject, about, client } = await placeOf(ports, change)
  const latest = await ports.toolPolicies.latest(subject)
  if (ifVersion !== undefined && ifVersion !== (latest?.version ?? 0)) throw changed(latest)
  const changedMembers = membersThatDiffer(latest?.entry, policy)
  if (changedMembers.length === 0 && (latest?.entry === undefined) === (policy === undefined)) return
  const audit = {
    ...auditOf(change, policy && changedMembers, { restoredVersion: restores, client }),
    actor,
    reason,
    ...about,
  } as SettingsAudit
  const version = { subject, entry: policy, actor, reason, restores }
  const saved = await ports.toolPolicies.append(version, latest?.version ?? 0, audit)
  if (!saved) throw changed(await ports.toolPolicies.latest(subject))
  await ports.followSettings()
}

type ChangedPlace = { restoredVersion: number | undefined; client: string | undefined }

const auditOf = (
  owner: PolicyOwner,
  changedMembers: string[] | undefined,
  { restoredVersion, client }: ChangedPlace,
) => {
  const facts = {
    ...(changedMembers && { changedMembers }),
    ...(restoredVersion !== undefined && { restoredVersion }),
    ...(client !== undefined && { client }),
  }
  if ('tenant' in owner) {
    return changedMembers
      ? { action: 'tenant.tool_policy_put', facts }
      : { action: 'tenant.tool_policy_removed', facts }
  }
  return changedMembers
    ? { action: 'connection.tool_policy_put', facts }
    : { action: 'connection.tool_policy_removed', facts }
}

const changed = (latest: SettingsVersion | undefined) =>
  new Failure('settings_changed', `The current version is ${latest?.version ?? 0}.`)

/** Throws for owners that the caller may not see. */
async function placeOf(ports: Ports, owner: PolicyOwner) {
  if ('tenant' in owner) {
    const { id } = await readTenant(ports, { caller: owner.caller, id: owner.tenant })
    return { subject: policySubject.tenant(id), about: aboutTenant(id), client: undefined }
  }
  const at = { connectionId: owner.connection, ...sightOf(owner.caller) }
  const connection = await ownConnection(ports, at)
  const about = aboutConnection(connection)
  if (owner.grant === undefined) return { subject: policySubject.connection(connection.id), about, client: undefined }
  const { clientId: client } = (await grantOf(ports, at, owner.grant)).app
  return { subject: policySubject.login(connection.id, client), about, client }
}

async function grantOf(ports: Ports, at: Parameters<typeof listFunctionGrants>[1], id: string) {
  const found = (await listFunctionGrants(ports, at)).find((grant) => grant.id === id)
  if (!found) throw missing('grant')
  return found
}
