import type { Asked } from '../../http/route.ts'

/** Whose connection it must be, who asks, and why. */
export const onConnection = ({
  params: { id },
  caller,
  actor,
  once,
  body: { reason },
}: Asked<{ id: string }, unknown, { reason: string }>) => ({
  connectionId: id,
  tenant: caller.tenant,
  actor,
  reason,
  once,
})
