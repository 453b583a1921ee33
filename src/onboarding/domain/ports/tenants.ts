import type { Secret } from '../../../kit/crypto/secret.ts'
import type { ApiKey, KeyPurpose } from '../api-key.ts'
import type { Actor } from '../audit/audit.ts'
import type { AuditEntry, EntryOf } from '../audit/audit-entry.ts'
import type { ColorScheme, LogoPicture } from '../branding/logo.ts'
import type { OAuthClient, OwnClient } from '../integration.ts'
import type { Caller, Sight, Tenant, TenantChanges, TenantDetails } from '../tenant.ts'
import type { Page } from './shared.ts'

export type Tenants = {
  find(id: string): Promise<Tenant | undefined>
  /** Bypasses the cache of this process. */
  refresh(id: string): Promise<Tenant | undefined>
  /** Returns undefined if the ID is taken. */
  create(tenant: NewTenant, signingSecret: Secret, audit: EntryOf<'tenant.put'>): Promise<Tenant | undefined>
  put(tenant: NewTenant, signingSecret: Secret, audit: EntryOf<'tenant.put'>): Promise<PutTenant>
  update(id: string, changes: TenantChanges, audit: EntryOf<'tenant.put'>): Promise<Tenant | undefined>
  /** Returns undefined if there is no such tenant or the status is unchanged. */
  changeStatus(id: string, to: 'active' | 'suspended', audit: StatusEntry): Promise<Tenant | undefined>
  list(query: TenantQuery): Promise<Page<Tenant>>
  signingSecret(id: string): Promise<Secret>
  /** Returns when the new secret starts to sign. Replaces an upcoming secret. */
  rotateSigningSecret(id: string, next: Secret, afterSeconds: number, audit: AuditEntry): Promise<Date | undefined>
  forgetSigningSecrets(): Promise<void>
  ownClient(id: string, integration: string): Promise<OAuthClient | undefined>
  ownClients(id: string): Promise<OwnClient[]>
  putOwnClient(
    id: string,
    integration: string,
    client: OAuthClient,
    audit: EntryOf<'tenant.oauth_client_put'>,
  ): Promise<void>
  deleteOwnClient(id: string, integration: string, audit: EntryOf<'tenant.oauth_client_deleted'>): Promise<boolean>
  putLogo(
    id: string,
    scheme: ColorScheme,
    picture: LogoPicture,
    audit: EntryOf<'tenant.logo_put'>,
  ): Promise<Tenant | undefined>
  deleteLogo(id: string, scheme: ColorScheme, audit: EntryOf<'tenant.logo_deleted'>): Promise<Tenant | undefined>
  logoPng(digest: string): Promise<Buffer | undefined>
}

export type LogoPictures = {
  /** Reads the declared size without decoding. Undefined if the file is unreadable. */
  measure(file: Buffer): Promise<Pick<LogoPicture, 'width' | 'height'> | undefined>
  redraw(file: Buffer): Promise<Omit<LogoPicture, 'digest'> | undefined>
}

type TenantQuery = Pick<Sight, 'testMode'> & { cursor: string | undefined; limit: number }

export type StatusEntry = EntryOf<'tenant.suspended' | 'tenant.reactivated'>

export type NewTenant = TenantDetails & Pick<Tenant, 'id'>

export type PutTenant = { tenant: Tenant; created: boolean }

export type ApiKeys = {
  create(key: NewApiKey, actor: Actor, reason?: string): Promise<{ id: string; key: Secret }>
  find(id: string): Promise<ApiKey | undefined>
  list(query: ApiKeyQuery): Promise<Page<ApiKey>>
  revoke(id: string, actor: Actor, reason?: string): Promise<boolean>
  caller(key: Secret): Promise<Caller | undefined>
  recordUses(): Promise<void>
}

type NewApiKey = Pick<ApiKey, 'name' | 'tenant'> & {
  testMode?: boolean
  purpose?: KeyPurpose | undefined
  expiresAt?: Date | undefined
}

/** `tenant`: undefined means the keys of all tenants and those of the deployment. */
export type ApiKeyQuery = { tenant?: string | undefined; cursor: string | undefined; limit: number }

export type TenantPorts = { tenants: Tenants; apiKeys: ApiKeys; logoPictures: LogoPictures }
