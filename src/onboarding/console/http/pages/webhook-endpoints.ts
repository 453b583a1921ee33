import type { Request } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { missing } from '../../../domain/failure.ts'
import type { Ports } from '../../../domain/ports/ports.ts'
import { tenantEventNames } from '../../../domain/tenant-event.ts'
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  rotateWebhookSecret,
  webhookUrlProblem,
} from '../../../webhooks/flows/manage-webhooks.ts'
import { replayFailed } from '../../../webhooks/flows/webhook-deliveries.ts'
import { WebhookBody } from '../../../webhooks/http/webhooks.ts'
import { actAs } from '../console-guards.ts'
import { firstSubmissionOnly } from '../form-guards.ts'
import type { PageParts } from '../page-parts.ts'
import { choice, Reason, ReasonForm, text } from './queries.ts'
import { back, ofTenant, showSecret } from './tenants.ts'

const eventName = choice(tenantEventNames)
// Validates the URL with the other fields, so that all errors are shown at once.
const endpointForm = (ports: Ports) =>
  z.strictObject({
    reason: Reason,
    url: text(2_000)
      .trim()
      .superRefine((url, { addIssue }) => {
        const problem = webhookUrlProblem(ports, url)
        if (problem) addIssue(problem)
      }),
    // Browsers send a string for one ticked box, and nothing for none.
    events: z.preprocess((value) => [value ?? []].flat(), z.array(eventName).min(1, 'Choose at least one event.')),
  })

export function webhookEndpointPages({ ports, settings }: PageParts) {
  const admin = actAs('admin', ports)
  const once = firstSubmissionOnly(ports)
  const EndpointForm = endpointForm(ports)
  return exactRouter()
    .post('/tenants/:id/webhooks', admin, once, async (req, res) => {
      const { reason, ...fields } = EndpointForm.parse(req.body)
      const asked = ofTenant(req, res)
      const { secret } = await createWebhook(ports, { ...asked, reason, ...WebhookBody.parse(fields) })
      const words = 'Give the tenant this secret, which verifies the signature of messages. It won’t be shown again.'
      showSecret(req, res, { title: 'Webhook endpoint created', words, secret, tenant: asked.tenant })
    })
    .post('/tenants/:id/webhooks/:webhook/rotate-secret', admin, once, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const asked = ofTenant(req, res)
      const { secret } = await rotateWebhookSecret(ports, { ...asked, reason, webhook: webhookIn(req) })
      const words =
        'Give the tenant this secret. For a day, messages are signed with both secrets, so the receiver can switch at any time. It won’t be shown again.'
      showSecret(req, res, { title: 'New webhook secret', words, secret, tenant: asked.tenant })
    })
    .post('/tenants/:id/webhooks/:webhook/disable', admin, async (req, res) => {
      await disableWebhook(ports, { ...ofTenant(req, res), ...ReasonForm.parse(req.body), webhook: webhookIn(req) })
      back(req, res, 'webhook_disabled')
    })
    .post('/tenants/:id/webhooks/:webhook/enable', admin, async (req, res) => {
      await enableWebhook(ports, { ...ofTenant(req, res), ...ReasonForm.parse(req.body), webhook: webhookIn(req) })
      back(req, res, 'webhook_enabled')
    })
    .post('/tenants/:id/webhooks/:webhook/replay-failed', admin, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      await replayFailed(ports, settings, { ...ofTenant(req, res), reason, webhook: webhookIn(req) })
      back(req, res, 'webhook_replayed')
    })
    .post('/tenants/:id/webhooks/:webhook/delete', admin, async (req, res) => {
      await deleteWebhook(ports, { ...ofTenant(req, res), ...ReasonForm.parse(req.body), webhook: webhookIn(req) })
      back(req, res, 'webhook_deleted')
    })
}

function webhookIn(req: Request): string {
  const { webhook } = req.params
  if (typeof webhook !== 'string' || !/^whk_[0-9a-z]{1,60}$/.test(webhook)) throw missing('webhook')
  return webhook
}
