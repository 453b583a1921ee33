import { type Webhook, webhookSnapshot } from '../../domain/webhooks/webhook.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'
import { aboutWebhook, type Needs, type OneWebhook, ownWebhook } from './manage-webhooks.ts'

/** A receiver that answered 410 is told again; what it missed can be replayed. */
export const enableWebhook =
  (needs: Pick<Needs, 'tenants' | 'webhooks'>) =>
  async ({ caller, actor, tenant, webhook: id, reason }: OneWebhook): Promise<Webhook> => {
    await readTenant(needs)({ caller, id: tenant })
    const was = await ownWebhook(needs, tenant, id)
    const change = { before: webhookSnapshot(was), after: webhookSnapshot({ ...was, status: 'active' }) }
    const about = { actor, ...aboutWebhook(tenant, id), reason }
    await needs.webhooks.enable({ tenant, id }, { action: 'webhook.enabled', ...about, ...change })
    return ownWebhook(needs, tenant, id)
  }

/** Nothing is sent there until it is enabled; what is on its way is given up, and can be replayed then. */
export const disableWebhook =
  (needs: Pick<Needs, 'tenants' | 'webhooks'>) =>
  async ({ caller, actor, tenant, webhook: id, reason }: OneWebhook): Promise<Webhook> => {
    await readTenant(needs)({ caller, id: tenant })
    const was = await ownWebhook(needs, tenant, id)
    const change = { before: webhookSnapshot(was), after: webhookSnapshot({ ...was, status: 'disabled' }) }
    const about = { actor, ...aboutWebhook(tenant, id), reason }
    await needs.webhooks.disable({ tenant, id }, { action: 'webhook.disabled', ...about, facts: {}, ...change })
    return ownWebhook(needs, tenant, id)
  }
