// Causes in words for end users, who know only the app they connect and the product that asked for it.
import type { Translator } from '../../../kit/messages/translator.ts'
import { type Cause, causes, type WhoseMove } from '../../domain/cause.ts'

/** Display names. `app`: what the user connects. `tenant`: the product that asked for it. */
export type Names = { app: string; tenant: string }

/** Of these the user is not told the exact reason: they can do nothing with it, and support sees it. */
const sharedMessages: Partial<Record<Cause, string>> = {
  client_rejected: 'not_registered',
  request_rejected: 'not_registered',
  redirect_uri_rejected: 'not_registered',
  client_registration_refused: 'not_registered',
  mcp_issuer_unexpected: 'not_registered',
  client_secret_expired: 'not_registered',
  app_suspended: 'not_registered',
  address_blocked: 'integration_removed',
  // Nobody meets these on a page: an import has no user in front of it, and a check neither.
  import_account_mismatch: 'setup_failed',
  check_held_back: 'setup_failed',
  platform_refused: 'setup_failed',
  name_taken: 'setup_failed',
  worker_crashed: 'setup_failed',
  sealed_unreadable: 'setup_failed',
  function_failed: 'setup_failed',
}

const moveMessages: Record<WhoseMove, string> = {
  user: 'move.user',
  tenant: 'move.tenant',
  support: 'move.ours',
  operator: 'move.ours',
  provider: 'move.provider',
  platform: 'move.ours',
}

/** A cause's own advice is for whoever runs the tenant's product, who can do more about it. */
export function causeForUser(cause: Cause, names: Names, { t }: Pick<Translator, 't'>) {
  const name = sharedMessages[cause] ?? cause
  return {
    title: t(`cause.${name}.title`, names),
    userAdvice: t(`cause.${name}.advice`, names),
    move: t(moveMessages[causes[cause].whoseMove], names),
  }
}
