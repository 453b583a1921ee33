import {
  type ConsoleRole,
  type ConsoleSession,
  isProofUntold,
  longestSeconds,
  nameOf,
} from '../../../domain/console.ts'
import { ago, moment } from './words.ts'

const roleWords: Record<ConsoleRole, string> = {
  viewer: 'You can look at everything and change nothing.',
  agent: 'You can look at everything and mend connections.',
  admin: 'You can look at everything, mend connections, and act on many of them at once.',
}

export function accountLocals({ user, signedInAt, provedAt }: ConsoleSession, now: Date) {
  return {
    title: 'You',
    name: nameOf(user),
    subject: user.subject,
    role: { name: user.role, text: roleWords[user.role] },
    signedIn: moment(new Date(signedInAt)),
    endsAt: moment(new Date(signedInAt + longestSeconds * 1_000)),
    proved: isProofUntold({ provedAt }) ? 'Not told by the issuer' : `${ago(new Date(provedAt), now)} ago`,
  }
}
