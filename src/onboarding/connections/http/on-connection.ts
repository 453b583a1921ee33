import { sightOf } from '../../domain/tenant.ts'
import type { RouteInput } from '../../http/route.ts'

/** Whose connection it must be, who asks, and why. */
export const onConnection = ({
  params: { connectionId },
  caller,
  actor,
  claim,
  body: { reason },
}: RouteInput<{ connectionId: string }, unknown, { reason: string }>) => ({
  connectionId,
  ...sightOf(caller),
  actor,
  reason,
  claim,
})
