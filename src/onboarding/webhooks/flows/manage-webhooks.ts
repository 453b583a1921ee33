import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { Failure, missing, requestInvalid } from '../../domain/failure.ts'
import type { IdempotencyClaim, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { WebhookSender, Webhooks } from '../../domain/ports/webhooks.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { assertActive, type Caller } from '../../domain/tenant.ts'
import type { TenantEventName } from '../../domain/tenant-event.ts'
import {
  mostWebhooks,
  secretRotation,
  type Webhook,
  webhookSecret,
  webhookSnapshot,
  webhookUrlError,
} from '../../domain/webhooks/webhook.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

export type Needs = { tenants: Tenants; webhooks: Webhooks; webhookSender: WebhookSender; seal: Seal; tokens: Tokens }

type OfTenant = { caller: Caller; tenant: string }
export type OneWebhook = OfTenant & { actor: Actor; webhook: string; reason?: string | undefined }

type CreateWebhook = OfTenant & {
  actor: Actor
  url: string
  events: TenantEventName[]
  reason?: string | undefined
  claim?: IdempotencyClaim | undefined
}

/** The secret is shown when it is made, and never again. */
export type WithSecret = { webhook: Webhook; secret: Secret }

/** What is wrong with the URL of an endpoint, for who wants to know it before they ask for one. */
export const webhookUrlProblem =
  ({ webhookSender }: Pick<Needs, 'webhookSender'>) =>
  (url: string): string | undefined =>
    webhookUrlError(url, webhookSender.mayCall)

export const createWebhook =
  (needs: Needs) =>
  async ({ caller, actor, tenant, url, events, reason, claim }: CreateWebhook): Promise<WithSecret> => {
    assertActive(await readTenant(needs)({ caller, id: tenant }))
    const id = needs.tokens.id('whk', claim?.seed)
    const { secret, sealed } = freshSecret(needs, tenant, id, claim?.seed)
    const made = claim?.isRetry ? await needs.webhooks.find(tenant, id) : undefined
    if (made) return { webhook: made, secret }
    const error = webhookUrlProblem(needs)(url)
    if (error) throw urlFailure(error)
    const after = { ...webhookSnapshot({ id, url, events, status: 'active' }), ...fingerprintOf(needs, secret) }
    const audit = { action: 'webhook.created' as const, actor, ...aboutWebhook(tenant, id), reason, after }
    const webhook = await needs.webhooks.create({ id, tenant, url, events }, sealed, mostWebhooks, audit)
    if (!webhook) throw new Failure('webhook_limit', `A tenant may have ${mostWebhooks} webhooks. Delete one first.`)
    return { webhook, secret }
  }

export const listWebhooks =
  (needs: Pick<Needs, 'tenants' | 'webhooks'>) =>
  async ({ caller, tenant }: OfTenant): Promise<Webhook[]> => {
    await readTenant(needs)({ caller, id: tenant })
    return needs.webhooks.list(tenant)
  }

export const deleteWebhook =
  (needs: Pick<Needs, 'tenants' | 'webhooks'>) =>
  async ({ caller, actor, tenant, webhook, reason }: OneWebhook): Promise<void> => {
    await readTenant(needs)({ caller, id: tenant })
    const before = webhookSnapshot(await ownWebhook(needs, tenant, webhook))
    const about = { actor, ...aboutWebhook(tenant, webhook), reason }
    const deleted = await needs.webhooks.delete(tenant, webhook, { action: 'webhook.deleted', ...about, before })
    if (!deleted) throw missing('webhook')
  }

/** Every secret goes on signing beside the new one for a day, so no message is lost while receivers change. */
export const rotateWebhookSecret =
  (needs: Needs) =>
  async ({ caller, actor, tenant, webhook: id, reason }: OneWebhook): Promise<WithSecret> => {
    await readTenant(needs)({ caller, id: tenant })
    const { secret, sealed } = freshSecret(needs, tenant, id)
    const before = webhookSnapshot(await ownWebhook(needs, tenant, id))
    const after = { ...before, ...fingerprintOf(needs, secret) }
    const rotated = await needs.webhooks.rotateSecret({ tenant, id }, sealed, secretRotation, {
      action: 'webhook.secret_rotated',
      actor,
      ...aboutWebhook(tenant, id),
      reason,
      before,
      after,
    })
    const webhook = await needs.webhooks.find(tenant, id)
    if (!webhook) throw missing('webhook')
    if (!rotated) throw tooManySecrets(webhook)
    return { webhook, secret }
  }

export const aboutWebhook = (tenant: string, id: string) => ({ subject: { kind: 'webhook' as const, id }, tenant })

export async function ownWebhook({ webhooks }: Pick<Needs, 'webhooks'>, tenant: string, id: string): Promise<Webhook> {
  const webhook = await webhooks.find(tenant, id)
  if (!webhook) throw missing('webhook')
  return webhook
}

/** Which secret it is can be told from one line of the audit to the next; the secret cannot. */
const fingerprintOf = ({ tokens }: Needs, secret: Secret) => ({ secretFingerprint: tokens.fingerprint(secret) })

function freshSecret({ seal, tokens }: Needs, tenant: string, webhook: string, seed?: string) {
  const secret = new Secret(webhookSecret(tokens.fresh(seed)))
  return { secret, sealed: seal.seal(secret, sealContext.webhookSecret(tenant, webhook)) }
}

function tooManySecrets({ previousSecretsExpireAt: [oldest] }: Webhook): Failure {
  const ends = oldest ? ` The oldest of them ends at ${oldest.toISOString()}.` : ''
  const detail = `${secretRotation.mostEarlier} earlier secrets of this webhook still sign its messages.${ends}`
  return new Failure('webhook_secret_limit', detail)
}

const urlFailure = (detail: string) => requestInvalid({ pointer: '/url', detail })
