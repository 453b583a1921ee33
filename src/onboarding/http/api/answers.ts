// Domain values turned into what callers get, member by member, so that nothing slips out.
import type { z } from 'zod'
import { explain } from '../../domain/cause.ts'
import { type ConnectSession, sessionStatus } from '../../domain/connect-session.ts'
import type { Connection } from '../../domain/connection.ts'
import { type Link, needsConsentAgain, progressOf, statusOf } from '../../domain/link.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Delivery, Webhook } from '../../domain/webhook.ts'
import type { Offered } from '../../flows/list-integrations.ts'
import type { ListedClient } from '../../flows/manage-tenants.ts'
import type {
  ConnectionAnswer,
  ConnectSessionAnswer,
  DeliveryAnswer,
  IntegrationAnswer,
  LinkAnswer,
  ListedClientAnswer,
  TenantAnswer,
  WebhookAnswer,
} from './answer-schemas.ts'

export const tenantAnswer = (tenant: Tenant): z.input<typeof TenantAnswer> => ({
  id: tenant.id,
  workspace: tenant.workspace,
  displayName: tenant.displayName,
  returnUrls: tenant.returnUrls,
  createdAt: tenant.createdAt.toISOString(),
  updatedAt: tenant.updatedAt.toISOString(),
})

export const listedClientAnswer = (client: ListedClient): z.input<typeof ListedClientAnswer> => ({
  integration: client.integration,
  clientId: client.clientId,
  ...(client.method && { method: client.method }),
  createdAt: client.createdAt.toISOString(),
  updatedAt: client.updatedAt.toISOString(),
})

export const integrationAnswer = ({ integration, available }: Offered): z.input<typeof IntegrationAnswer> => ({
  id: integration.id,
  displayName: integration.displayName,
  description: integration.description,
  permissions: integration.scopes.map(({ name, description }) => ({ scope: name, description: description ?? '' })),
  available,
})

export const sessionAnswer = (session: ConnectSession): z.input<typeof ConnectSessionAnswer> => ({
  id: session.id,
  tenant: session.tenant,
  integration: session.integration,
  endUser: session.endUser,
  ...(session.returnUrl !== undefined && { returnUrl: session.returnUrl }),
  ...(session.connectionId && { relinks: session.connectionId }),
  status: sessionStatus(session),
  ...(session.linkId && { link: session.linkId }),
  expiresAt: session.expiresAt.toISOString(),
  createdAt: session.createdAt.toISOString(),
})

export const linkAnswer = (link: Link, publicUrl: string): z.input<typeof LinkAnswer> => ({
  id: link.id,
  connectSession: link.sessionId,
  tenant: link.tenant,
  integration: link.integration,
  endUser: link.endUser,
  ...(link.relink && { relinks: link.connectionId }),
  state: link.state,
  status: statusOf(link.state),
  steps: progressOf(link),
  ...(link.cause && { cause: explain(link.cause) }),
  attempts: link.attempts,
  ...(link.nextTryAt && { nextTryAt: link.nextTryAt.toISOString() }),
  ...(link.missingScopes.length > 0 && { missingScopes: link.missingScopes }),
  // Present when the user has to be asked once more: send the same browser there.
  ...(needsConsentAgain(link) && { continueUrl: `${publicUrl}/links/${link.id}/consent` }),
  ...(link.state === 'linked' && { connection: linkedConnection(link) }),
  createdAt: link.createdAt.toISOString(),
  updatedAt: link.updatedAt.toISOString(),
})

const linkedConnection = (link: Link) => ({
  id: link.connectionId,
  name: link.connectionName,
  workspace: link.workspace,
  functionName: link.functionName,
  functionUrl: link.functionUrl ?? '',
  ...(link.account && { upstreamAccount: link.account }),
})

export const connectionAnswer = (connection: Connection): z.input<typeof ConnectionAnswer> => ({
  id: connection.id,
  tenant: connection.tenant,
  workspace: connection.workspace,
  integration: connection.integration,
  name: connection.name,
  functionName: connection.functionName,
  functionUrl: connection.functionUrl,
  ...(connection.account && { upstreamAccount: connection.account }),
  scopes: connection.scopes,
  status: connection.status,
  ...(connection.cause && { cause: explain(connection.cause) }),
  ...(connection.checkedAt && { checkedAt: connection.checkedAt.toISOString() }),
  ...(connection.relinkedAt && { relinkedAt: connection.relinkedAt.toISOString() }),
  ...(connection.disconnectedAt && { disconnectedAt: connection.disconnectedAt.toISOString() }),
  endUser: { id: connection.endUserId },
  createdAt: connection.createdAt.toISOString(),
  updatedAt: connection.updatedAt.toISOString(),
})

export const webhookAnswer = ({ earlierSecretsUntil, ...webhook }: Webhook): z.input<typeof WebhookAnswer> => ({
  id: webhook.id,
  tenant: webhook.tenant,
  url: webhook.url,
  events: webhook.events,
  status: webhook.status,
  ...(earlierSecretsUntil.length > 0 && { previousSecretUntil: earlierSecretsUntil.at(-1)?.toISOString() }),
  createdAt: webhook.createdAt.toISOString(),
  updatedAt: webhook.updatedAt.toISOString(),
})

export const deliveryAnswer = ({ event, ...delivery }: Delivery): z.input<typeof DeliveryAnswer> => ({
  id: delivery.id,
  webhook: delivery.webhook,
  event: { id: event.id, type: event.name, at: event.at.toISOString() },
  status: delivery.status,
  attempts: delivery.attempts,
  ...(delivery.answeredStatus !== undefined && { answeredStatus: delivery.answeredStatus }),
  ...(delivery.trouble && { trouble: delivery.trouble }),
  ...(delivery.nextTryAt && { nextTryAt: delivery.nextTryAt.toISOString() }),
  ...(delivery.deliveredAt && { deliveredAt: delivery.deliveredAt.toISOString() }),
  createdAt: delivery.createdAt.toISOString(),
})

export const pageAnswer = <T, A>(
  { data, nextCursor }: { data: T[]; nextCursor: string | undefined },
  answer: (item: T) => A,
) => ({
  data: data.map(answer),
  meta: { nextCursor: nextCursor ?? '' },
})
