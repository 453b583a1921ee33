import type { Secret } from '../../../kit/crypto/secret.ts'
import type { AuditEntry } from '../audit.ts'
import type { OAuthClient, OwnClient } from '../integration.ts'
import type { Caller, Tenant } from '../tenant.ts'
import type { Page } from './shared.ts'

export type Tenants = {
  find(id: string): Promise<Tenant | undefined>
  put(tenant: Omit<Tenant, 'createdAt' | 'updatedAt'>, signingSecret: Secret, audit: AuditEntry): Promise<PutTenant>
  list(query: { cursor: string | undefined; limit: number }): Promise<Page<Tenant>>
  /** The one that signs at this moment. */
  signingSecret(id: string): Promise<Secret>
  /** When the new secret signs; nothing when there is no such tenant. One that was to follow never will. */
  rotateSigningSecret(id: string, next: Secret, afterSeconds: number, audit: AuditEntry): Promise<Date | undefined>
  /** Wipes secrets that another has followed. */
  forgetSigningSecrets(): Promise<void>
  ownClient(id: string, integration: string): Promise<OAuthClient | undefined>
  /** Those that the tenant brought, without their secrets, by integration. */
  ownClients(id: string): Promise<OwnClient[]>
  putOwnClient(id: string, integration: string, client: OAuthClient, audit: AuditEntry): Promise<void>
  deleteOwnClient(id: string, integration: string, audit: AuditEntry): Promise<boolean>
}

export type PutTenant = { tenant: Tenant; created: boolean }

export type ApiKeys = {
  create(key: { name: string; tenant: string | undefined }, audit: AuditEntry): Promise<{ id: string; key: Secret }>
  list(): Promise<ApiKey[]>
  revoke(id: string, audit: AuditEntry): Promise<boolean>
  caller(key: Secret): Promise<Caller | undefined>
}

export type ApiKey = {
  id: string
  name: string
  tenant: string | undefined
  lastFour: string
  createdAt: Date
  revokedAt: Date | undefined
}

export type TenantPorts = { tenants: Tenants; apiKeys: ApiKeys }
