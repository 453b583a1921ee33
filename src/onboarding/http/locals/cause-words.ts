// Causes in words for end users.
import type { Translator } from '../../../kit/messages/translator.ts'
import { type Cause, type CauseWith, causes } from '../../domain/cause.ts'

/** Display names. `app`: the app that the user connects. `tenant`: the product that asked for it. */
export type Names = { app: string; tenant: string }

export function causeForUser(cause: Cause, names: Names, { t }: Pick<Translator, 't'>) {
  const { forUser } = causes[cause]
  const shared: CauseWith<{ forUser: object }> | undefined = typeof forUser === 'string' ? forUser : undefined
  const name = shared ?? cause
  return {
    title: t(`cause.${name}.title`, names),
    userAdvice: t(`cause.${name}.advice`, names),
  }
}
