import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { ClientAuthentication, OAuthClient, OwnClient } from '../../domain/integration.ts'
import type { Integrations, Page, Tokens } from '../../domain/ports/shared.ts'
import type { PutTenant, Tenants } from '../../domain/ports/tenants.ts'
import { type Caller, maySee, type Tenant } from '../../domain/tenant.ts'

export type PutTenantInput = {
  caller: Caller
  actor: Actor
  tenant: Pick<Tenant, 'id' | 'workspace' | 'displayName' | 'returnUrls'>
}

/** Only a key of the deployment writes tenants. The signing secret is shown when it is made, and never again. */
export const putTenant =
  ({ tenants, tokens }: { tenants: Tenants; tokens: Tokens }) =>
  async ({ caller, actor, tenant }: PutTenantInput): Promise<PutTenant & { signingSecret: Secret | undefined }> => {
    assertDeploymentKey(caller)
    const secret = new Secret(tokens.fresh())
    const put = await tenants.put(tenant, secret, { action: 'tenant.put', actor, tenant: tenant.id })
    return { ...put, signingSecret: put.created ? secret : undefined }
  }

export type RotateSigningSecret = { caller: Caller; actor: Actor; id: string; afterSeconds: number }

export type RotatedSigningSecret = { signingSecret: Secret; signsFrom: Date }

/**
 * Makes the secret that signs from then on. Until then the one so far does, so that a tenant can first learn to accept
 * both; a leaked one is replaced at once. What was to follow is forgotten: it never signed anything.
 */
export const rotateSigningSecret =
  ({ tenants, tokens }: { tenants: Tenants; tokens: Tokens }) =>
  async ({ caller, actor, id, afterSeconds }: RotateSigningSecret): Promise<RotatedSigningSecret> => {
    assertDeploymentKey(caller)
    const signingSecret = new Secret(tokens.fresh())
    const after = { secretFingerprint: tokens.fingerprint(signingSecret), afterSeconds }
    const audit = { action: 'tenant.signing_secret_rotated', actor, tenant: id, after }
    const signsFrom = await tenants.rotateSigningSecret(id, signingSecret, afterSeconds, audit)
    if (!signsFrom) throw missing('tenant')
    return { signingSecret, signsFrom }
  }

export const readTenant =
  ({ tenants }: { tenants: Tenants }) =>
  async ({ caller, id }: { caller: Caller; id: string }): Promise<Tenant> => {
    if (!maySee(caller, id)) throw missing('tenant', id)
    const tenant = await tenants.find(id)
    if (!tenant) throw missing('tenant')
    return tenant
  }

export const listTenants =
  ({ tenants }: { tenants: Tenants }) =>
  async (input: { caller: Caller; cursor: string | undefined; limit: number }): Promise<Page<Tenant>> => {
    const { tenant: only } = input.caller
    if (only === undefined) return tenants.list(input)
    const own = await tenants.find(only)
    return { data: own ? [own] : [], nextCursor: undefined }
  }

export type PutOwnClient = { caller: Caller; actor: Actor; tenant: string; integration: string; client: OAuthClient }

type OwnClientNeeds = { tenants: Tenants; integrations: Integrations }

/** `method`: how it proves itself to the third party; nothing when the integration is no longer offered here. */
export type ListedClient = OwnClient & { method: ClientAuthentication | undefined }

export const listOwnClients =
  (needs: OwnClientNeeds) =>
  async ({ caller, tenant }: Pick<PutOwnClient, 'caller' | 'tenant'>): Promise<ListedClient[]> => {
    await readTenant(needs)({ caller, id: tenant })
    return (await needs.tenants.ownClients(tenant)).map((client) => {
      const profile = needs.integrations.find(client.integration)
      return { ...client, method: client.hasSecret ? profile?.clientAuthentication : 'none' }
    })
  }

export const putOwnClient =
  (needs: OwnClientNeeds) =>
  async ({ caller, actor, tenant, integration, client }: PutOwnClient): Promise<void> => {
    await readTenant(needs)({ caller, id: tenant })
    if (!needs.integrations.find(integration)) throw missing('integration')
    const audit = { action: 'tenant.oauth_client_put', actor, tenant, reason: integration }
    await needs.tenants.putOwnClient(tenant, integration, client, audit)
  }

export const deleteOwnClient =
  (needs: OwnClientNeeds) =>
  async ({ caller, actor, tenant, integration }: Omit<PutOwnClient, 'client'>): Promise<void> => {
    await readTenant(needs)({ caller, id: tenant })
    const audit = { action: 'tenant.oauth_client_deleted', actor, tenant, reason: integration }
    const deleted = await needs.tenants.deleteOwnClient(tenant, integration, audit)
    if (!deleted) throw missing('OAuth client')
  }

function assertDeploymentKey(caller: Caller) {
  if (caller.tenant !== undefined) {
    throw new Failure('key_limited', 'This key is limited to one tenant and cannot change tenants.')
  }
}
