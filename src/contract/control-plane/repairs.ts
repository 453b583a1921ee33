import { z } from 'zod'
import { characters } from '../resource.ts'

/** The ticket is the query parameter `ticket` of the connection's `repairUrl`. */
export const RepairTicket = z.strictObject({ ticket: characters(64) })

/** The browser returned from the consent of a link that waits for the person to be verified again. */
export const ReturnedRepair = z.object({ connect_session_id: characters(64), completion_code: characters(128) })
export type ReturnedRepair = z.infer<typeof ReturnedRepair>

/** The person made a call that the grant does not cover, and was verified in this browser. */
export const RedeemedRepair = z.object({
  id: z.string(),
  /**
   * Verifies the person in a browser again. It returns `connect_session_id` and `completion_code` of its query to
   * `repairUrl`, with another ticket of the same repair.
   */
  page: z.url(),
  code: z.enum(['not_linked', 'grant_revoked', 'insufficient_scope']),
  scope: z.string().max(1_000).optional(),
  function: z.string(),
  /**
   * `endUserId`: the tenant's ID of an end user with a function login. `isRemembered`: the person had no login in the last
   * 15 minutes, and was known by a remembered browser. That is not enough to link an account that is not known yet.
   */
  caller: z.object({
    kind: z.enum(['user', 'service_account', 'end_user']),
    endUserId: z.string().optional(),
    isRemembered: z.boolean().optional(),
  }),
})
export type RedeemedRepair = z.infer<typeof RedeemedRepair>
