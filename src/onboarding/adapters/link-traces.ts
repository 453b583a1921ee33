import type { Tracing } from '../../kit/tracing/tracing.ts'
import type { LinkTraces } from '../domain/ports/shared.ts'

export const linkTraces = (tracing: Tracing): LinkTraces => ({
  begin: ({ id, tenant, integration, connectionId }) =>
    tracing.begin('link', {
      'link.id': id,
      'tenant.id': tenant,
      'integration.id': integration,
      'connection.id': connectionId,
    }),
  within: (part, { id, traceparent }, work) =>
    tracing.span(part, { attributes: { 'link.id': id }, parent: traceparent }, work),
})
