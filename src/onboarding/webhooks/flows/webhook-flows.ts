import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import type { WebhookPorts } from '../../domain/ports/webhooks.ts'
import type { Settings } from '../../domain/settings.ts'
import { deliverWebhooks } from './deliver-webhooks.ts'
import { listEvents, triggerEvent } from './events.ts'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  webhookUrlProblem,
} from './manage-webhooks.ts'
import { listDeliveries, readDelivery, replayDelivery } from './webhook-deliveries.ts'
import { disableWebhook, enableWebhook } from './webhook-status.ts'

type Ports = SharedPorts & TenantPorts & WebhookPorts

export const webhookFlows = (ports: Ports, settings: Pick<Settings, 'rates'>) => ({
  createWebhook: createWebhook(ports),
  webhookUrlProblem: webhookUrlProblem(ports),
  listWebhooks: listWebhooks(ports),
  deleteWebhook: deleteWebhook(ports),
  rotateWebhookSecret: rotateWebhookSecret(ports),
  enableWebhook: enableWebhook(ports),
  disableWebhook: disableWebhook(ports),
  listDeliveries: listDeliveries(ports),
  readDelivery: readDelivery(ports),
  replayDelivery: replayDelivery(ports, settings),
  deliverWebhooks: deliverWebhooks(ports),
  listEvents: listEvents(ports),
  triggerEvent: triggerEvent(ports, settings),
})

export type WebhookFlows = ReturnType<typeof webhookFlows>
