import type { RouteInput } from '../../http/route.ts'

/** Whose connection it must be, who asks, and why. */
export const onConnection = ({
  params: { id },
  caller,
  actor,
  claim,
  body: { reason },
}: RouteInput<{ id: string }, unknown, { reason: string }>) => ({
  connectionId: id,
  tenant: caller.tenant,
  actor,
  reason,
  claim,
})
