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
  /** How many connections to one integration a user may have; 0: any number. */
  maxConnectionsPerUser: number
  status: TenantStatus
  createdAt: Date
  updatedAt: Date
}

export const tenantStatuses = ['active', 'suspended', 'deleting', 'deleted'] as const
export type TenantStatus = (typeof tenantStatuses)[number]

/** What somebody can set. */
export type TenantDetails = Pick<Tenant, 'workspace' | 'displayName' | 'returnUrls'> & {
  branding?: Branding | undefined
  maxConnectionsPerUser?: number | undefined
}

/** What is undefined stays as it is. */
export type TenantChanges = { [Name in keyof TenantDetails]?: TenantDetails[Name] | undefined }

/** Nothing begins for a tenant that is suspended. What it has goes on: its links, connections and functions. */
export function assertActive(tenant: Pick<Tenant, 'status'>): void {
  assertKept(tenant)
  if (tenant.status === 'suspended') throw new Failure('tenant_suspended', 'This tenant is suspended.')
}

/** Nothing is changed about one that is being deleted, and a deleted one never comes back: the audit log names it. */
export function assertKept({ status }: Pick<Tenant, 'status'>): void {
  if (status === 'deleting') throw new Failure('tenant_deleted', 'This tenant is being deleted.')
  if (status === 'deleted') throw new Failure('tenant_deleted', 'This tenant is deleted.')
}

/** What the audit keeps of a tenant before and after a change. */
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

/** A name that can stand in a header and a path as it is; checked when stored and again just before it is sent. */
export const workspacePattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** How long a tenant may take to learn a new signing secret before it signs. */
export const usualRotationSeconds = 24 * 60 * 60
export const longestRotationSeconds = 7 * 24 * 60 * 60

/** What was signed a moment before travels by browser. A secret that leaked is not to be accepted for a moment more. */
export const previousSecretExpiry = (activeFrom: Date, afterSeconds: number): Date =>
  afterSeconds === 0 ? activeFrom : new Date(activeFrom.getTime() + 60_000)

/** Tells scanners of repositories and logs that a text is a key. */
export const apiKeyPrefix = 'cwk_'

/** A key of test mode says so itself, so that nobody has to try it to find out. */
export const testKeyPrefix = `${apiKeyPrefix}test_`

/** The prefix marks a tenant of test mode. */
export const tenantIdPattern = /^(?:test_)?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Whose things somebody may see: those of one tenant, of all live or all test tenants, or, where neither is named, of
 * every tenant there is, as support does.
 */
export type Sight = { tenant?: string | undefined; testMode?: boolean | undefined }

/** Who asks: a key of the deployment sees every tenant of its mode, a tenant's key only its own. */
export type Caller = Sight & { keyId: string }

export const sightOf = ({ tenant, testMode }: Caller): Sight => ({ tenant, testMode })

/** The same for a list of one tenant's things; the one that the caller is limited to comes first. */
export const sightOn = ({ tenant: only, testMode }: Caller, tenant: string | undefined): Required<Sight> => ({
  tenant: only ?? tenant,
  testMode,
})

/** What belongs to no tenant is no part of test mode. */
export const isInSight = ({ tenant, testMode }: Sight, owner: string | undefined): boolean =>
  (tenant === undefined || tenant === owner) && (testMode === undefined || isTestTenant(owner ?? '') === testMode)

export const maySee = (caller: Caller, tenant: string): boolean => isInSight(caller, tenant)

/** What was found, when the caller may see it. */
export function ownThing<T extends { tenant: string }>(found: T | undefined, caller: Caller, what: string): T {
  if (!found) throw missing(what)
  if (!maySee(caller, found.tenant)) throw missing(what, found.tenant)
  return found
}
