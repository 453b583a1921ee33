// Tells whether the person in a browser is the one who made a call. A function login and a session both prove it.
import type { Request, Response } from 'express'
import type { BrowserPeople, Caller, Recognized } from '../../shared/domain/caller.ts'
import { type FunctionUser, type FunctionUsers, isFunctionUserId } from '../domain/function-access.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { openedUser } from '../flows/function-access.ts'
import { loginIn } from './function-interaction.ts'

type Ports = Pick<IdentityPorts, 'functionUsers'> & {
  sessions: { accountOf(req: Request, res: Response): Promise<{ id: string; label: string } | undefined> }
}

export async function recognize(
  { functionUsers, sessions }: Ports,
  publicUrl: string,
  callerId: string,
  req: Request,
  res: Response,
): Promise<Recognized> {
  const opened = loginIn(req, publicUrl)
  const login = opened === undefined ? undefined : await openedUser({ functionUsers }, opened)
  const account = await sessions.accountOf(req, res)
  if (login?.id === callerId || account?.id === callerId) return { is: 'caller' }
  if (await isSamePerson({ functionUsers }, login, callerId)) return { is: 'caller' }
  const other = account ?? login
  return other ? { is: 'other', label: other.label, isMember: !isFunctionUserId(other.id) } : { is: 'nobody' }
}

/** One person has an account at each function. */
async function isSamePerson(
  { functionUsers }: Pick<Ports, 'functionUsers'>,
  login: { workspace: string; endUserId: string } | undefined,
  callerId: string,
): Promise<boolean> {
  const caller = login && (await functionUsers.find(callerId))
  return caller?.workspace === login?.workspace && caller?.endUserId === login?.endUserId && caller !== undefined
}

type PeoplePorts = Pick<IdentityPorts, 'functionUsers'> & {
  sessions: Ports['sessions'] & { user(req: Request, res: Response): Promise<Caller | undefined> }
  openTo(caller: Caller): Promise<string[]>
}

/**
 * A browser may have a session of a member and an opened function login. `callerId`: who made the call, perhaps at another
 * function than the one of the login.
 */
export async function peopleIn(
  { functionUsers, sessions, openTo }: PeoplePorts,
  publicUrl: string,
  callerId: string,
  req: Request,
  res: Response,
): Promise<BrowserPeople> {
  const opened = loginIn(req, publicUrl)
  const login = opened === undefined ? undefined : await openedUser({ functionUsers }, opened)
  const caller = await sessions.user(req, res)
  const account = caller ? undefined : await sessions.accountOf(req, res)
  const signedIn = account && (await functionUsers.find(account.id))
  const users = [login, signedIn].flatMap((user) => user ?? [])
  return {
    member: caller && { id: caller.id, label: caller.label, workspaces: await openTo(caller) },
    endUsers: (await Promise.all(users.map((user) => accountsOf(functionUsers, user, callerId)))).flat(),
  }
}

/** All accounts of the person, the one of the browser first. */
async function accountsOf(functionUsers: FunctionUsers, user: FunctionUser, callerId: string): Promise<FunctionUser[]> {
  const isCaller = await isSamePerson({ functionUsers }, user, callerId)
  const others = await functionUsers.ofEndUser(user.workspace, user.endUserId)
  return [user, ...(isCaller ? [{ ...user, id: callerId }] : []), ...others]
}
