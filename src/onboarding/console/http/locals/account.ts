import {
  type ConsoleRole,
  type ConsoleSession,
  isAuthTimeUnknown,
  longestSeconds,
  nameOf,
} from '../../../domain/console.ts'
import { ago, formatTime } from './words.ts'

const roleWords: Record<ConsoleRole, string> = {
  viewer: 'You can view everything but change nothing.',
  agent: 'You can view everything and fix connections.',
  admin: 'You can view everything, fix connections, run campaigns, manage tenants and API keys, and erase end users.',
}

export function accountLocals({ user, signedInAt, authenticatedAt }: ConsoleSession, now: Date) {
  return {
    title: 'Your account',
    name: nameOf(user),
    subject: user.subject,
    role: { name: user.role, text: roleWords[user.role] },
    signedIn: formatTime(new Date(signedInAt)),
    endsAt: formatTime(new Date(signedInAt + longestSeconds * 1_000)),
    lastAuthenticated: isAuthTimeUnknown({ authenticatedAt })
      ? 'Unknown: the issuer doesn’t say'
      : `${ago(new Date(authenticatedAt), now)} ago`,
  }
}
