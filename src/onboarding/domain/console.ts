// Roles and sessions of the support console.
import { Failure } from './failure.ts'

export const consoleRoles = ['viewer', 'agent', 'admin'] as const
export type ConsoleRole = (typeof consoleRoles)[number]

/** What the issuer calls each role. */
export type RoleNames = Record<ConsoleRole, string>

export type ConsoleUser = { subject: string; email: string | undefined; role: ConsoleRole }

/** Each role may do what the ones before it may. */
export const mayActAs = (role: ConsoleRole, needed: ConsoleRole): boolean =>
  consoleRoles.indexOf(role) >= consoleRoles.indexOf(needed)

/** The highest role that the claim names, be it one word or a list of them. */
export function roleIn(claim: unknown, names: RoleNames): ConsoleRole | undefined {
  const words = [claim].flat().filter((word) => typeof word === 'string' && word !== '')
  return consoleRoles.toReversed().find((role) => words.includes(names[role]))
}

export const nameOf = ({ email, subject }: Pick<ConsoleUser, 'email' | 'subject'>): string => email ?? subject

/** A browser that went to sign in, and what must come back with it. The verifier is sealed. */
export type SignInAttempt = {
  state: string
  nonce: string
  verifier: string
  next: string
  /** Re-authentication: the user wants to change something and their last sign-in is too old. */
  again: boolean
  startedAt: number
}

export type ConsoleSession = {
  user: ConsoleUser
  signedInAt: number
  /** When the user last authenticated at the issuer (`auth_time`); 0 if the issuer does not say. */
  authenticatedAt: number
  /** CSRF token: in every form of this session and in no other's. */
  formToken: string
}

export const attemptSeconds = 10 * 60
export const idleSeconds = 15 * 60
export const longestSeconds = 8 * 60 * 60
const recentSeconds = 15 * 60

export const isOver = ({ signedInAt }: ConsoleSession, now: Date): boolean =>
  now.getTime() - signedInAt > longestSeconds * 1_000

/** Required for changes: an unattended screen is not enough. */
export const hasRecentAuth = ({ authenticatedAt }: ConsoleSession, now: Date): boolean =>
  now.getTime() - authenticatedAt <= recentSeconds * 1_000

export const isAuthTimeUnknown = ({ authenticatedAt }: Pick<ConsoleSession, 'authenticatedAt'>): boolean =>
  authenticatedAt === 0

export const authTimeUnknown = () =>
  new Failure('sign_in_time_unknown', 'Your sign-in service doesn’t say when you last signed in.')

/** Where to go after signing in: a page of the console, and never another site. */
export const pageOfConsole = (path: unknown): string =>
  typeof path === 'string' && /^\/support(?:[/?][\w/?=&.%~-]*)?$/.test(path) && !path.includes('..') ? path : '/support'
