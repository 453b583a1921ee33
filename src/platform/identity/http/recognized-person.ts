// Tells whether the person in a browser is the one who made a call. A function login or a session proves it, and a
// remembered browser only says it.
import type { Request, Response } from 'express'
import type { BrowserPeople, Caller, Recognized } from '../../shared/domain/caller.ts'
import type { FunctionUser, FunctionUsers } from '../domain/function-access.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { openedUser } from '../flows/function-access.ts'
import { rememberedUser } from '../flows/remember-browser.ts'
import { endUserCookies } from './end-user-cookies.ts'

type Ports = Pick<IdentityPorts, 'functionUsers' | 'rememberedBrowsers'> & {
  sessions: { accountOf(req: Request, res: Response): Promise<{ id: string; label: string } | undefined> }
}

export async function recognize(
  ports: Ports,
  publicUrl: string,
  callerId: string,
  req: Request,
  res: Response,
): Promise<Recognized> {
  const { login, remembered } = await endUsersIn(ports, publicUrl, req)
  const account = await ports.sessions.accountOf(req, res)
  if (login?.id === callerId || account?.id === callerId || (await isSamePerson(ports, login, callerId))) {
    return { is: 'caller', isRemembered: false }
  }
  if (await isSamePerson(ports, remembered, callerId)) return { is: 'caller', isRemembered: true }
  const other = account ?? login ?? remembered
  return other ? { is: 'other', label: other.label } : { is: 'nobody' }
}

async function endUsersIn(ports: Ports, publicUrl: string, req: Request) {
  const cookies = endUserCookies(publicUrl)
  const [opened, kept] = [cookies.read(req, 'login'), cookies.read(req, 'remembered')]
  const [login, remembered] = await Promise.all([
    opened === undefined ? undefined : openedUser(ports, opened),
    kept === undefined ? undefined : rememberedUser(ports, kept),
  ])
  return { login, remembered }
}

/** One person has an account at each function. */
async function isSamePerson(
  { functionUsers }: Pick<Ports, 'functionUsers'>,
  user: { workspace: string; endUserId: string } | undefined,
  callerId: string,
): Promise<boolean> {
  const caller = user && (await functionUsers.find(callerId))
  return caller?.workspace === user?.workspace && caller?.endUserId === user?.endUserId && caller !== undefined
}

type PeoplePorts = Omit<Ports, 'sessions'> & {
  sessions: Ports['sessions'] & { user(req: Request, res: Response): Promise<Caller | undefined> }
  openTo(caller: Caller): Promise<string[]>
}

/**
 * A browser may have a session of a member and an opened function login. `callerId`: who made the call, perhaps at another
 * function than the one of the login.
 */
export async function peopleIn(
  ports: PeoplePorts,
  publicUrl: string,
  callerId: string,
  req: Request,
  res: Response,
): Promise<BrowserPeople> {
  const { functionUsers, sessions, openTo } = ports
  const { login, remembered } = await endUsersIn(ports, publicUrl, req)
  const caller = await sessions.user(req, res)
  const account = caller ? undefined : await sessions.accountOf(req, res)
  const signedIn = account && (await functionUsers.find(account.id))
  const known = [
    ...[login, signedIn].flatMap((user) => (user ? [{ user, isRemembered: false }] : [])),
    ...(remembered ? [{ user: remembered, isRemembered: true }] : []),
  ]
  const endUsers = known.map(async ({ user, isRemembered }) =>
    (await accountsOf(functionUsers, user, callerId)).map((each) => ({ ...each, isRemembered })),
  )
  return {
    member: caller && { id: caller.id, label: caller.label, workspaces: await openTo(caller) },
    endUsers: (await Promise.all(endUsers)).flat(),
  }
}

/** All accounts of the person, the one of the browser first. */
async function accountsOf(functionUsers: FunctionUsers, user: FunctionUser, callerId: string): Promise<FunctionUser[]> {
  const isCaller = await isSamePerson({ functionUsers }, user, callerId)
  const others = await functionUsers.ofEndUser(user.workspace, user.endUserId)
  return [user, ...(isCaller ? [{ ...user, id: callerId }] : []), ...others]
}
