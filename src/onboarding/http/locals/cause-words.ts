// Causes in words for end users.
import type { Translator } from '../../../kit/messages/translator.ts'
import { type Cause, type CauseWith, causes, type WhoseMove } from '../../domain/cause.ts'

/** Display names. `app`: what the user connects. `tenant`: the product that asked for it. */
export type Names = { app: string; tenant: string }

const moveMessages: Record<WhoseMove, string> = {
  user: 'move.user',
  tenant: 'move.tenant',
  support: 'move.ours',
  operator: 'move.ours',
  provider: 'move.provider',
  platform: 'move.ours',
}

export function causeForUser(cause: Cause, names: Names, { t }: Pick<Translator, 't'>) {
  const { forUser, whoseMove } = causes[cause]
  const shared: CauseWith<{ forUser: object }> | undefined = typeof forUser === 'string' ? forUser : undefined
  const name = shared ?? cause
  return {
    title: t(`cause.${name}.title`, names),
    userAdvice: t(`cause.${name}.advice`, names),
    move: t(moveMessages[whoseMove], names),
  }
}
