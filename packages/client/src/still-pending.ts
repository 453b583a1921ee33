import type { Cause, ConnectionTask, Erasure, Link, TenantDeletion, WhoseMove } from './types.ts'

export type Pending = Link | ConnectionTask | Erasure | TenantDeletion

type Particulars = Partial<Pick<Link, 'waitingFor' | 'attempts' | 'nextAttemptAt'>> & {
  cause?: Cause
  notifying?: Erasure['notifying']
  connectionsLeft?: number
}

const particularsOf = (pending: Pending): Particulars => pending

export function stillPending(pending: Pending): string {
  const { waitingFor, nextAttemptAt, notifying, connectionsLeft = 0 } = particularsOf(pending)
  const at = pending.step === undefined ? '' : `, at the step ${pending.step}`
  return [
    `${nameOf(pending)} is still ${pending.status}${at}${failures(pending)}.`,
    nextAttemptAt && `The next attempt is at ${nextAttemptAt}.`,
    notifying &&
      `It waits for the webhook endpoints ${notifying.webhookIds.join(', ')} to take its events, until ${notifying.until} at most.`,
    connectionsLeft > 0 &&
      `It has ${connectionsLeft} ${connectionsLeft === 1 ? 'connection' : 'connections'} left to disconnect.`,
    waitingFor ? (awaited[waitingFor]?.words ?? `It waits for: ${waitingFor}.`) : 'It continues without you.',
  ]
    .filter(Boolean)
    .join(' ')
}

export function moveOf(pending: Pending): WhoseMove {
  const { cause, waitingFor, notifying } = particularsOf(pending)
  if (cause) return cause.whoseMove
  if (notifying) return 'tenant'
  return (waitingFor && awaited[waitingFor]?.whoseMove) ?? 'operator'
}

/** A newer API may have other values. */
const awaited: Readonly<Record<string, { words: string; whoseMove: WhoseMove }>> = {
  consent: { words: 'It waits for the consent of the user.', whoseMove: 'user' },
  completion: { words: 'It waits for your server to complete its connect session.', whoseMove: 'tenant' },
}

function nameOf(pending: Pending): string {
  if ('connectionsLeft' in pending) return `Deletion of tenant ${pending.tenantId}`
  if ('endUserHash' in pending) return `Erasure ${pending.id}`
  if ('kind' in pending) return `${pending.kind === 'rollback' ? 'Rollback' : 'Disconnect'} ${pending.id}`
  return `Link ${pending.id}`
}

function failures(pending: Pending): string {
  const { attempts = 0, cause } = particularsOf(pending)
  const failed = attempts > 0 ? `, which has failed ${attempts === 1 ? 'once' : `${attempts} times`} so far` : ''
  return cause ? `${failed}: ${cause.title}. ${cause.advice.replace(/\.$/, '')}` : failed
}
