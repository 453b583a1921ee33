import type { Secret } from '../../../kit/crypto/secret.ts'
import type { ApiKey } from '../api-key.ts'
import type { Actor } from '../audit/audit.ts'
import type { AuditEntry, EntryOf } from '../audit/audit-entry.ts'
import type { ColorScheme, LogoPicture } from '../branding/logo.ts'
import type { OAuthClient, OwnClient } from '../integration.ts'
import type { Caller, Sight, Tenant, TenantChanges, TenantDetails } from '../tenant.ts'
import type { Page } from './shared.ts'

export type Tenants = {
  find(id: string): Promise<Tenant | undefined>
  /** Reads it again, whatever this process remembers. */
  refresh(id: string): Promise<Tenant | undefined>
  /** Returns undefined if the id is taken. */
  create(tenant: NewTenant, signingSecret: Secret, audit: EntryOf<'tenant.put'>): Promise<Tenant | undefined>
  put(tenant: NewTenant, signingSecret: Secret, audit: EntryOf<'tenant.put'>): Promise<PutTenant>
  /** Returns undefined if there is no such tenant. */
  update(id: string, changes: TenantChanges, audit: EntryOf<'tenant.put'>): Promise<Tenant | undefined>
  /** Returns undefined if there is no such tenant, or it is so already. */
  changeStatus(id: string, to: 'active' | 'suspended', audit: StatusEntry): Promise<Tenant | undefined>
  /** Without those that were deleted. */
  list(query: TenantQuery): Promise<Page<Tenant>>
  /** The one that signs at this moment. */
  signingSecret(id: string): Promise<Secret>
  /** When the new secret signs; undefined if there is no such tenant. One that was to follow never will. */
  rotateSigningSecret(id: string, next: Secret, afterSeconds: number, audit: AuditEntry): Promise<Date | undefined>
  /** Wipes secrets that another has followed. */
  forgetSigningSecrets(): Promise<void>
  ownClient(id: string, integration: string): Promise<OAuthClient | undefined>
  /** Those that the tenant brought, without their secrets, by integration. */
  ownClients(id: string): Promise<OwnClient[]>
  putOwnClient(
    id: string,
    integration: string,
    client: OAuthClient,
    audit: EntryOf<'tenant.oauth_client_put'>,
  ): Promise<void>
  deleteOwnClient(id: string, integration: string, audit: EntryOf<'tenant.oauth_client_deleted'>): Promise<boolean>
  /** Returns undefined if there is no such tenant. */
  putLogo(
    id: string,
    scheme: ColorScheme,
    picture: LogoPicture,
    audit: EntryOf<'tenant.logo_put'>,
  ): Promise<Tenant | undefined>
  /** Returns undefined if there is no such tenant, or it has no such logo. */
  deleteLogo(id: string, scheme: ColorScheme, audit: EntryOf<'tenant.logo_deleted'>): Promise<Tenant | undefined>
  logoPng(digest: string): Promise<Buffer | undefined>
}

/** Reads pictures that anybody may have made, and makes them anew. */
export type LogoPictures = {
  /** What the file says of itself, without decoding it; undefined if it is unreadable. */
  measure(file: Buffer): Promise<Pick<LogoPicture, 'width' | 'height'> | undefined>
  /** As a PNG of our own making, with nothing of the file but its pixels; undefined if it is unreadable. */
  redraw(file: Buffer): Promise<Omit<LogoPicture, 'digest'> | undefined>
}

export type TenantQuery = Pick<Sight, 'testMode'> & { cursor: string | undefined; limit: number }

export type StatusEntry = EntryOf<'tenant.suspended' | 'tenant.reactivated'>

export type NewTenant = TenantDetails & Pick<Tenant, 'id'>

export type PutTenant = { tenant: Tenant; created: boolean }

export type ApiKeys = {
  create(key: NewApiKey, actor: Actor, reason?: string): Promise<{ id: string; key: Secret }>
  find(id: string): Promise<ApiKey | undefined>
  /** Newest first, also those that were revoked or have expired. */
  list(query: ApiKeyQuery): Promise<Page<ApiKey>>
  /** False if there is no such key, or it was revoked before. */
  revoke(id: string, actor: Actor, reason?: string): Promise<boolean>
  /** Undefined if there is no such key, or it was revoked, or has expired. That it was used is remembered. */
  caller(key: Secret): Promise<Caller | undefined>
  /** Writes down when keys were last used, of those that were since it did so before. */
  recordUses(): Promise<void>
}

export type NewApiKey = Pick<ApiKey, 'name' | 'tenant'> & { testMode?: boolean; expiresAt?: Date | undefined }

/** `tenant`: undefined means the keys of all tenants and those of the deployment. */
export type ApiKeyQuery = { tenant?: string | undefined; cursor: string | undefined; limit: number }

export type TenantPorts = { tenants: Tenants; apiKeys: ApiKeys; logoPictures: LogoPictures }
