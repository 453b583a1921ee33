// Who may do what in the support console, and how long somebody counts as the person who signed in.
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
  /** Asked to prove again who they are, because they want to change something. */
  again: boolean
  startedAt: number
}

export type ConsoleSession = {
  user: ConsoleUser
  signedInAt: number
  /** When the issuer last saw them prove who they are; 0 where it does not say. */
  provedAt: number
  /** Stands in every form of this session, and in no other's. */
  formToken: string
}

export const attemptSeconds = 10 * 60
export const idleSeconds = 15 * 60
export const longestSeconds = 8 * 60 * 60
const recentSeconds = 15 * 60

export const isOver = ({ signedInAt }: ConsoleSession, now: Date): boolean =>
  now.getTime() - signedInAt > longestSeconds * 1_000

/** To change something one must have proved lately who one is: a screen left open is not enough. */
export const provedLately = ({ provedAt }: ConsoleSession, now: Date): boolean =>
  now.getTime() - provedAt <= recentSeconds * 1_000

/** Where the issuer does not say when somebody proved who they are, nobody can tell a screen that was left open. */
export const isProofUntold = ({ provedAt }: Pick<ConsoleSession, 'provedAt'>): boolean => provedAt === 0

export const proofUntold = () =>
  new Failure('sign_in_time_unknown', 'Your sign-in service doesn’t say when you last signed in.')

/** Where to go after signing in: a page of the console, and never another site. */
export const pageOfConsole = (path: unknown): string =>
  typeof path === 'string' && /^\/support(?:[/?][\w/?=&.%~-]*)?$/.test(path) && !path.includes('..') ? path : '/support'
