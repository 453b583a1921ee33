import { sightOf } from '../../domain/tenant.ts'
import type { Answering, RouteInput } from '../../http/route.ts'

export const onConnection = ({
  params: { connectionId },
  caller,
  actor,
  claim,
  body: { reason },
}: Omit<RouteInput<{ connectionId: string }, unknown, { reason: string }>, keyof Answering>) => ({
  connectionId,
  ...sightOf(caller),
  actor,
  reason,
  claim,
})
