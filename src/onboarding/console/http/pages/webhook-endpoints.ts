// Webhook endpoints on the page of a tenant: everybody sees them, and only admins change them, by the API's own flows.
import type { Request } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { missing } from '../../../domain/failure.ts'
import { tenantEventNames } from '../../../domain/tenant-event.ts'
import { WebhookBody } from '../../../webhooks/http/webhooks.ts'
import type { AreaFlows } from '../../flows/console-flows.ts'
import { actAs } from '../console-guards.ts'
import type { SentOnce } from '../sent-once.ts'
import { choice, Reason, ReasonForm, text } from './queries.ts'
import { back, ofTenant, pageOf, showSecret } from './tenants.ts'

type Needs = {
  flows: Pick<
    AreaFlows,
    | 'createWebhook'
    | 'webhookUrlProblem'
    | 'rotateWebhookSecret'
    | 'disableWebhook'
    | 'enableWebhook'
    | 'deleteWebhook'
    | 'noteRefusal'
  >
  once: SentOnce
}

const eventName = choice(tenantEventNames)
// Its URL is checked with the other fields, so that all that is wrong is said at once.
const endpointForm = ({ webhookUrlProblem }: Pick<AreaFlows, 'webhookUrlProblem'>) =>
  z.strictObject({
    reason: Reason,
    url: text(2_000)
      .trim()
      .superRefine((url, { addIssue }) => {
        const problem = webhookUrlProblem(url)
        if (problem) addIssue(problem)
      }),
    // One box that is ticked comes alone, and none not at all.
    events: z.preprocess((value) => [value ?? []].flat(), z.array(eventName).min(1, 'Choose at least one event.')),
  })

const tenantOf = (req: Request) => pageOf(String(req.params.id))
const endpointSecretNotKept = {
  text: 'The secret of the endpoint was shown, once. If you didn’t copy it, rotate it on the tenant’s page.',
  href: tenantOf,
}
const newSecretNotKept = {
  text: 'The new secret was shown, once. If you didn’t copy it, rotate it again.',
  href: tenantOf,
}

export function webhookEndpointPages({ flows, once }: Needs) {
  const admin = actAs('admin', flows.noteRefusal)
  const EndpointForm = endpointForm(flows)
  return exactRouter()
    .post(
      '/tenants/:id/webhooks',
      admin,
      once(endpointSecretNotKept, async (req, res) => {
        const { reason, ...fields } = EndpointForm.parse(req.body)
        const asked = ofTenant(req, res)
        // Held to the same rules as the API.
        const { secret } = await flows.createWebhook({ ...asked, reason, ...WebhookBody.parse(fields) })
        const words = 'Give the tenant this secret, which verifies the signature of messages. It won’t be shown again.'
        showSecret(req, res, { title: 'Webhook endpoint created', words, secret, tenant: asked.tenant })
      }),
    )
    .post(
      '/tenants/:id/webhooks/:webhook/rotate-secret',
      admin,
      once(newSecretNotKept, async (req, res) => {
        const { reason } = ReasonForm.parse(req.body)
        const asked = ofTenant(req, res)
        const { secret } = await flows.rotateWebhookSecret({ ...asked, reason, webhook: webhookIn(req) })
        const words =
          'Give the tenant this secret. For a day messages are signed with both, so the receiver can switch at any time. It won’t be shown again.'
        showSecret(req, res, { title: 'New webhook secret', words, secret, tenant: asked.tenant })
      }),
    )
    .post('/tenants/:id/webhooks/:webhook/disable', admin, async (req, res) => {
      await flows.disableWebhook({ ...ofTenant(req, res), ...ReasonForm.parse(req.body), webhook: webhookIn(req) })
      back(req, res, 'webhook_disabled')
    })
    .post('/tenants/:id/webhooks/:webhook/enable', admin, async (req, res) => {
      await flows.enableWebhook({ ...ofTenant(req, res), ...ReasonForm.parse(req.body), webhook: webhookIn(req) })
      back(req, res, 'webhook_enabled')
    })
    .post('/tenants/:id/webhooks/:webhook/delete', admin, async (req, res) => {
      await flows.deleteWebhook({ ...ofTenant(req, res), ...ReasonForm.parse(req.body), webhook: webhookIn(req) })
      back(req, res, 'webhook_deleted')
    })
}

function webhookIn(req: Request): string {
  const { webhook } = req.params
  if (typeof webhook !== 'string' || !/^whk_[0-9a-z]{1,60}$/.test(webhook)) throw missing('webhook')
  return webhook
}
