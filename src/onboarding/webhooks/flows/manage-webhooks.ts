import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { Failure, missing, requestInvalid } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim } from '../../domain/ports/shared.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { assertActive, type Caller } from '../../domain/tenant.ts'
import type { TenantEventName } from '../../domain/tenant-event.ts'
import {
  maxWebhooks,
  secretRotation,
  type Webhook,
  webhookSecret,
  webhookSnapshot,
  webhookUrlError,
} from '../../domain/webhooks/webhook.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

type OfTenant = { caller: Caller; tenant: string }
type OneWebhook = OfTenant & { actor: Actor; webhook: string; reason?: string | undefined }

type CreateWebhook = OfTenant & {
  actor: Actor
  url: string
  events: TenantEventName[]
  reason?: string | undefined
  claim?: IdempotencyClaim | undefined
}

type WithSecret = { webhook: Webhook; secret: Secret }

export const webhookUrlProblem = ({ webhookSender }: Ports, url: string): string | undefined =>
  webhookUrlError(url, webhookSender.mayCall)

export async function createWebhook(
  ports: Ports,
  { caller, actor, tenant, url, events, reason, claim }: CreateWebhook,
): Promise<WithSecret> {
  assertActive(await readTenant(ports, { caller, id: tenant }))
  const id = ports.tokens.id('whk', claim?.seed)
  const { secret, sealed } = freshSecret(ports, tenant, id, claim?.seed)
  const made = claim?.isRetry ? await ports.webhooks.find(tenant, id) : undefined
  if (made) return { webhook: made, secret }
  const error = webhookUrlProblem(ports, url)
  if (error) throw requestInvalid({ pointer: '/url', detail: error })
  const after = { ...webhookSnapshot({ id, url, events, status: 'active' }), ...fingerprintOf(ports, secret) }
  const audit = { action: 'webhook.created' as const, actor, ...aboutWebhook(tenant, id), reason, after }
  const webhook = await ports.webhooks.create({ id, tenant, url, events }, sealed, maxWebhooks, audit)
  if (!webhook)
    throw new Failure('webhook_limit', `A tenant can have at most ${maxWebhooks} webhooks. Delete one first.`)
  return { webhook, secret }
}

export async function listWebhooks(ports: Ports, { caller, tenant }: OfTenant): Promise<Webhook[]> {
  await readTenant(ports, { caller, id: tenant })
  return ports.webhooks.list(tenant)
}

export async function deleteWebhook(
  ports: Ports,
  { caller, actor, tenant, webhook, reason }: OneWebhook,
): Promise<void> {
  await readTenant(ports, { caller, id: tenant })
  const before = webhookSnapshot(await ownWebhook(ports, tenant, webhook))
  const about = { actor, ...aboutWebhook(tenant, webhook), reason }
  const deleted = await ports.webhooks.delete(tenant, webhook, { action: 'webhook.deleted', ...about, before })
  if (!deleted) throw missing('webhook')
}

/** Earlier secrets keep signing for a day, so that receivers can switch without losing messages. */
export async function rotateWebhookSecret(
  ports: Ports,
  { caller, actor, tenant, webhook: id, reason }: OneWebhook,
): Promise<WithSecret> {
  await readTenant(ports, { caller, id: tenant })
  const { secret, sealed } = freshSecret(ports, tenant, id)
  const before = webhookSnapshot(await ownWebhook(ports, tenant, id))
  const after = { ...before, ...fingerprintOf(ports, secret) }
  const rotated = await ports.webhooks.rotateSecret({ tenant, id }, sealed, secretRotation, {
    action: 'webhook.secret_rotated',
    actor,
    ...aboutWebhook(tenant, id),
    reason,
    before,
    after,
  })
  const webhook = await ports.webhooks.find(tenant, id)
  if (!webhook) throw missing('webhook')
  if (!rotated) throw tooManySecrets(webhook)
  return { webhook, secret }
}

export async function enableWebhook(ports: Ports, input: OneWebhook): Promise<Webhook> {
  const { at, audit } = await statusChange(ports, input, 'active')
  await ports.webhooks.enable(at, { action: 'webhook.enabled', ...audit })
  return ownWebhook(ports, at.tenant, at.id)
}

/** Pending deliveries become dead, and can be replayed after the webhook is enabled. */
export async function disableWebhook(ports: Ports, input: OneWebhook): Promise<Webhook> {
  const { at, audit } = await statusChange(ports, input, 'disabled')
  await ports.webhooks.disable(at, { action: 'webhook.disabled', ...audit, facts: {} })
  return ownWebhook(ports, at.tenant, at.id)
}

async function statusChange(
  ports: Ports,
  { caller, actor, tenant, webhook: id, reason }: OneWebhook,
  status: Webhook['status'],
) {
  await readTenant(ports, { caller, id: tenant })
  const before = await ownWebhook(ports, tenant, id)
  const change = { before: webhookSnapshot(before), after: webhookSnapshot({ ...before, status }) }
  return { at: { tenant, id }, audit: { actor, ...aboutWebhook(tenant, id), reason, ...change } }
}

const aboutWebhook = (tenant: string, id: string) => ({ subject: { kind: 'webhook' as const, id }, tenant })

async function ownWebhook({ webhooks }: Ports, tenant: string, id: string): Promise<Webhook> {
  const webhook = await webhooks.find(tenant, id)
  if (!webhook) throw missing('webhook')
  return webhook
}

const fingerprintOf = ({ tokens }: Ports, secret: Secret) => ({ secretFingerprint: tokens.fingerprint(secret) })

function freshSecret({ seal, tokens }: Ports, tenant: string, webhook: string, seed?: string) {
  const secret = new Secret(webhookSecret(tokens.fresh(seed)))
  return { secret, sealed: seal.seal(secret, sealContext.webhookSecret(tenant, webhook)) }
}

function tooManySecrets({ previousSecretsExpireAt: [oldest] }: Webhook): Failure {
  const ends = oldest ? ` The oldest expires at ${oldest.toISOString()}.` : ''
  const detail = `This webhook already has ${secretRotation.maxEarlier} earlier secrets that are still valid.${ends}`
  return new Failure('webhook_secret_limit', detail)
}
