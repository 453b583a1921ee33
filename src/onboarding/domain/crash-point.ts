// Where fault tests can end the program: just before and just after each thing it does to the world outside.
import { type LinkState, linkStates } from './link.ts'

const deeds = [
  'pending.put',
  'pending.claim',
  'links.open',
  ...linkStates.map((state): `links.${LinkState}` => `links.${state}`),
  'links.postpone',
  'provider.exchange',
  /** Before: the last byte of the token answer has been read. After: it is in escrow. */
  'provider.keep',
  'provider.revoke',
  'platform.connection',
  'platform.function',
  'platform.verification',
  'provider.refresh',
  'provider.keep_proof',
  'upkeep.replacement',
  'upkeep.pointing',
  'upkeep.function_removal',
  'upkeep.connection_removal',
  'upkeep.trial',
  'tasks.open',
  'tasks.move',
  'tasks.fail',
  'tasks.disconnected',
  'tasks.rolled_back',
] as const

export type Deed = (typeof deeds)[number]

export const crashPoints = deeds.flatMap((deed) => [`before.${deed}`, `after.${deed}`] as const)
