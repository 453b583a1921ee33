// Causes as support reads them.
import { type Cause, causeEntry, type WhoseMove } from '../../../domain/cause.ts'

export const actorNames: Record<WhoseMove, string> = {
  user: 'User',
  tenant: 'Tenant',
  support: 'Support',
  operator: 'Operator',
  provider: 'App',
  platform: 'Platform',
}

export function causeWords(code: Cause) {
  const { title, advice, forAgent, forOperator, whoseMove } = causeEntry(code)
  const words = typeof forAgent === 'string' ? { title, advice: forAgent } : forAgent
  // Support makes sure that the operator acts, and then resumes links.
  const isForSupport = whoseMove === 'support' || whoseMove === 'operator'
  return {
    code,
    ...words,
    // The page would show backticks as they are.
    forOperator: isForSupport ? (forOperator ?? advice).replaceAll('`', '') : undefined,
    actionFrom: actorNames[whoseMove],
    isForOperator: whoseMove === 'operator',
    isForSupport,
  }
}
