import type { Metrics } from '../../../kit/process/metrics.ts'
import type { Cause } from '../../domain/cause.ts'
import { clientCauses, isClientCause } from '../../domain/doctor/signals.ts'

/** Says that a link, one of its steps or a check of a connection met this cause; others than those of a client are not counted. */
export type ClientRejections = (integration: string, cause: Cause | undefined) => void

const help = 'Links, steps and checks that met a provider which does not accept our OAuth client.'

/**
 * By integration, unlike the moves of links: whoever is called because of it has to know where to go. The causes are
 * those of a client alone, so that there are few series however many integrations there are.
 */
export function countClientRejections(metrics: Metrics, integrations: ReadonlyArray<{ id: string }>): ClientRejections {
  const rejections = metrics.counter('client_rejections_total', help, ['integration', 'cause'])
  // From zero on: of a series that begins with one, Prometheus does not see the first event.
  for (const { id: integration } of integrations)
    for (const cause of clientCauses) rejections.inc({ integration, cause }, 0)
  return (integration, cause) => {
    if (cause && isClientCause(cause)) rejections.inc({ integration, cause })
  }
}
