import { Failure } from './failure.ts'

export const consoleRoles = ['viewer', 'agent', 'admin'] as const
export type ConsoleRole = (typeof consoleRoles)[number]

export type RoleNames = Record<ConsoleRole, string>

export type ConsoleSettings = { issuer: string; roleClaim: string; roleNames: RoleNames }

export type ConsoleUser = { subject: string; email: string | undefined; role: ConsoleRole }

export const mayActAs = (role: ConsoleRole, needed: ConsoleRole): boolean =>
  consoleRoles.indexOf(role) >= consoleRoles.indexOf(needed)

export function roleIn(claim: unknown, names: RoleNames): ConsoleRole | undefined {
  const words = [claim].flat().filter((word) => typeof word === 'string' && word !== '')
  return consoleRoles.toReversed().find((role) => words.includes(names[role]))
}

export const nameOf = ({ email, subject }: Pick<ConsoleUser, 'email' | 'subject'>): string => email ?? subject

export type SignInAttempt = {
  state: string
  nonce: string
  verifier: string
  next: string
  again: boolean
  startedAt: number
}

export type ConsoleSession = {
  user: ConsoleUser
  signedInAt: number
  /** `auth_time` of the issuer; 0 if the issuer does not send it. */
  authenticatedAt: number
  formToken: string
}

export const attemptSeconds = 10 * 60
export const idleSeconds = 15 * 60
export const maxSessionSeconds = 8 * 60 * 60
const recentSeconds = 15 * 60

export const isOver = ({ signedInAt }: ConsoleSession, now: Date): boolean =>
  now.getTime() - signedInAt > maxSessionSeconds * 1_000

export const hasRecentAuth = ({ authenticatedAt }: ConsoleSession, now: Date): boolean =>
  now.getTime() - authenticatedAt <= recentSeconds * 1_000

export const isAuthTimeUnknown = ({ authenticatedAt }: Pick<ConsoleSession, 'authenticatedAt'>): boolean =>
  authenticatedAt === 0

export const authTimeUnknown = () =>
  new Failure('sign_in_time_unknown', 'Your sign-in service doesn’t say when you last signed in.')

/** Redirect target after signing in. Never another site. */
export const pageOfConsole = (path: unknown): string =>
  typeof path === 'string' && /^\/support(?:[/?][\w/?=&.%~-]*)?$/.test(path) && !path.includes('..') ? path : '/support'
