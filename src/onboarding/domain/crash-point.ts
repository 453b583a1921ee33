// Where fault tests can end the program: just before and just after each thing it does to the world outside.
import { type LinkState, linkStates } from './link.ts'

const actions = [
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
  'provider.keep_trial_refresh',
  'platform.replacement',
  'platform.pointing',
  'platform.function_removal',
  'platform.connection_removal',
  'platform.trial',
  'tasks.open',
  'tasks.move',
  'tasks.fail',
  'tasks.disconnected',
  'tasks.rolled_back',
] as const

export type Action = (typeof actions)[number]

export const crashPoints = actions.flatMap((action) => [`before.${action}`, `after.${action}`] as const)
