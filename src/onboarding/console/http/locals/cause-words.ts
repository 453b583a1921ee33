// Causes as support reads them.
import { type Cause, causeCodes, causeEntry, causes, type WhoseMove } from '../../../domain/cause.ts'

export const actorNames: Record<WhoseMove, string> = {
  user: 'User',
  tenant: 'Tenant',
  support: 'Support',
  operator: 'Operator',
  provider: 'App',
  platform: 'Platform',
}

export function causeWords(code: Cause) {
  const { title, advice, forSupport, whoseMove } = causeEntry(code)
  return {
    code,
    title,
    // The page would show backticks as they are.
    advice: (forSupport ?? advice).replaceAll('`', ''),
    actionFrom: actorNames[whoseMove],
    isForOperator: whoseMove === 'operator',
    // Support makes sure that the operator acts, and then resumes links.
    isForSupport: whoseMove === 'support' || whoseMove === 'operator',
  }
}

export const causeChoices = causeCodes.map((code) => ({ code, title: causes[code].title }))
