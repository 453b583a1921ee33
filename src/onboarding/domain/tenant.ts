import type { KeyPurpose } from './api-key.ts'
import type { Snapshot } from './audit/audit.ts'
import type { Branding } from './branding/branding.ts'
import type { Logos } from './branding/logo.ts'
import { wordingSnapshot } from './branding/wording.ts'
import { Failure, missing } from './failure.ts'
import { isTestTenant } from './test-mode/test-mode.ts'

export type Tenant = {
  id: string
  workspace: string
  displayName: string
  returnUrls: string[]
  branding: Branding
  logos: Logos
  maxConnectionsPerUser: number
  status: TenantStatus
  createdAt: Date
  updatedAt: Date
}

export const tenantStatuses = ['active', 'suspended', 'deleting', 'deleted'] as const
export type TenantStatus = (typeof tenantStatuses)[number]

export type TenantDetails = Pick<Tenant, 'workspace' | 'displayName' | 'returnUrls'> & {
  branding?: Branding | undefined
  maxConnectionsPerUser?: number | undefined
}

export type TenantChanges = { [Name in keyof TenantDetails]?: TenantDetails[Name] | undefined }

/** A suspended tenant cannot start anything new. Its links, connections and functions continue. */
export function assertActive(tenant: Pick<Tenant, 'status'>): void {
  assertKept(tenant)
  if (tenant.status === 'suspended') throw new Failure('tenant_suspended', 'This tenant is suspended.')
}

/** Deleted tenants are never restored: the audit log refers to them. */
export function assertKept({ status }: Pick<Tenant, 'status'>): void {
  if (status === 'deleting') throw new Failure('tenant_deleted', 'This tenant is being deleted.')
  if (status === 'deleted') throw new Failure('tenant_deleted', 'This tenant is deleted.')
}

export const tenantSnapshot = ({
  workspace,
  displayName,
  returnUrls,
  branding: { wording, ...branding } = {},
  maxConnectionsPerUser = 0,
}: TenantDetails): Snapshot => ({
  workspace,
  displayName,
  returnUrls,
  ...(maxConnectionsPerUser > 0 && { maxConnectionsPerUser }),
  ...Object.fromEntries(Object.entries(branding).filter(([, value]) => value !== undefined)),
  ...wordingSnapshot(wording),
})

/** Safe in a header and a path. Checked when stored and again before sending. */
export const workspacePattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export const usualRotationSeconds = 24 * 60 * 60
export const maxRotationSeconds = 7 * 24 * 60 * 60

/** Signed URLs in transit stay valid for a minute, unless the secret is replaced at once because it leaked. */
export const previousSecretExpiry = (activeFrom: Date, afterSeconds: number): Date =>
  afterSeconds === 0 ? activeFrom : new Date(activeFrom.getTime() + 60_000)

/** For secret scanners. */
export const apiKeyPrefix = 'cwk_'

export const testKeyPrefix = `${apiKeyPrefix}test_`

/** `test_` marks a tenant of test mode. */
export const tenantIdPattern = /^(?:test_)?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** One tenant, all live or all test tenants, or every tenant (support). */
export type Sight = { tenant?: string | undefined; testMode?: boolean | undefined }

export type Caller = Sight & { keyId: string; purpose?: KeyPurpose | undefined }

export const sightOf = ({ tenant, testMode }: Caller): Sight => ({ tenant, testMode })

export const sightOn = ({ tenant: only, testMode }: Caller, tenant: string | undefined): Required<Sight> => ({
  tenant: only ?? tenant,
  testMode,
})

export const isInSight = ({ tenant, testMode }: Sight, owner: string | undefined): boolean =>
  (tenant === undefined || tenant === owner) && (testMode === undefined || isTestTenant(owner ?? '') === testMode)

export const maySee = (caller: Caller, tenant: string): boolean => isInSight(caller, tenant)

/** Judges the mode by prefixes only, so the answer does not tell whether the tenant exists. */
export function missingTenant({ testMode }: Caller, id: string): Failure {
  if (testMode === undefined || testMode === isTestTenant(id)) return missing('tenant', id)
  const [ofId, ofKey] = testMode ? ['live', 'test'] : ['test', 'live']
  const detail = `This ID belongs to ${ofId} mode, but the request used a ${ofKey} key.`
  return new Failure('not_found', detail, { owner: id })
}

export function ownThing<T extends { tenant: string }>(found: T | undefined, caller: Caller, what: string): T {
  if (!found) throw missing(what)
  if (!maySee(caller, found.tenant)) throw missing(what, found.tenant)
  return found
}
