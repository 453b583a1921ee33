import {
  type ConsoleRole,
  type ConsoleSession,
  isProofUntold,
  longestSeconds,
  nameOf,
} from '../../../domain/console.ts'
import { ago, moment } from './words.ts'

const roleWords: Record<ConsoleRole, string> = {
  viewer: 'You can view everything but change nothing.',
  agent: 'You can view everything and fix connections.',
  admin: 'You can view everything, fix connections, and run campaigns.',
}

export function accountLocals({ user, signedInAt, provedAt }: ConsoleSession, now: Date) {
  return {
    title: 'Your account',
    name: nameOf(user),
    subject: user.subject,
    role: { name: user.role, text: roleWords[user.role] },
    signedIn: moment(new Date(signedInAt)),
    endsAt: moment(new Date(signedInAt + longestSeconds * 1_000)),
    proved: isProofUntold({ provedAt }) ? 'Unknown: the issuer doesn’t say' : `${ago(new Date(provedAt), now)} ago`,
  }
}
