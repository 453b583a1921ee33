import { randomBytes, randomUUID } from 'node:crypto'
import { Secret } from '../../../kit/crypto/secret.ts'
import { type Actor, actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { FunctionName } from '../../shared/domain/function-resource.ts'
import { hashOf } from '../domain/api-key.ts'
import {
  type FindFunction,
  type FunctionGrant,
  type FunctionGrants,
  type FunctionUser,
  type FunctionUsers,
  functionUserId,
  isFunctionUserId,
} from '../domain/function-access.ts'
import type { Memberships, Users } from '../domain/ports.ts'

type Needs = {
  findFunction: FindFunction
  functionUsers: FunctionUsers
  functionGrants: FunctionGrants
  users: Pick<Users, 'find'>
  memberships: Pick<Memberships, 'ofUser'>
  now: () => Date
}

export type FunctionAccess = ReturnType<typeof functionAccess>

export type LoginRequest = { endUserId: string; label: string; expiresInSeconds: number }

/** One answer for a function that is not there, and one that somebody may not use. */
const closed = () =>
  new Failure('resource_unknown', 'You don’t have access to this function, or it does not exist any more.')

/** Who may use a function from an MCP client of their own, and what they allowed it. */
export function functionAccess(needs: Needs) {
  const { findFunction, functionUsers, functionGrants, users, memberships, now } = needs

  /** The person who was vouched for at this very function. */
  const asFunctionUser = async (accountId: string, of: FunctionName, functionId: string) => {
    const user = await functionUsers.find(accountId)
    return user && isAt(user, of, functionId) ? { label: user.label, endUserId: user.endUserId } : undefined
  }
  const asMember = async (accountId: string, { workspace }: FunctionName) => {
    const [user, open] = await Promise.all([users.find(accountId), memberships.ofUser(accountId)])
    const isMember = open.some((membership) => membership.workspace === workspace)
    return user && isMember ? { label: user.email, endUserId: undefined } : undefined
  }

  return {
    /** Who decides, about what; refuses whoever may not use the function. */
    async describe(of: FunctionName, accountId: string) {
      const found = await findFunction(of.workspace, of.name)
      if (!found) throw closed()
      const person = await (isFunctionUserId(accountId)
        ? asFunctionUser(accountId, of, found.id)
        : asMember(accountId, of))
      if (!person) throw closed()
      return { title: found.displayName, ...person }
    },

    /** A login for one person at one function, which a tenant's server hands to them. */
    async createLogin(
      { workspace, caller }: Member,
      name: string,
      { endUserId, label, expiresInSeconds }: LoginRequest,
    ) {
      const found = await findFunction(workspace, name)
      if (!found) throw new Failure('resource_unknown', 'No function has this name.')
      const token = new Secret(randomBytes(32).toString('base64url'))
      const expiresAt = new Date(now().getTime() + expiresInSeconds * 1000)
      const user = { id: functionUserId(randomUUID()), workspace, name, functionId: found.id, endUserId, label }
      const login = { hash: hashOf(token.reveal()), expiresAt, grant: caller.grant }
      await functionUsers.addLogin(user, login, actorOf(caller))
      return { token, expiresAt }
    },

    async showLogin(token: string): Promise<{ title: string; label: string } | undefined> {
      const user = await functionUsers.findLogin(hashOf(token))
      const found = user && (await findFunction(user.workspace, user.name))
      return found && found.id === user.functionId ? { title: found.displayName, label: user.label } : undefined
    },

    /** Works once. What it returns proves the same for a quarter of an hour, in the browser that opened it. */
    async openLogin(token: string): Promise<{ opened: Secret; user: FunctionUser } | undefined> {
      const opened = new Secret(randomBytes(32).toString('base64url'))
      const user = await functionUsers.openLogin(hashOf(token), hashOf(opened.reveal()))
      return user && { opened, user }
    },

    /** Returns the account, if the login was for this function. */
    async openedLogin(opened: string, of: FunctionName): Promise<string | undefined> {
      const user = await functionUsers.findOpened(hashOf(opened))
      return user && user.workspace === of.workspace && user.name === of.name ? user.id : undefined
    },

    noteGrant: (grantId: string, grant: Omit<FunctionGrant, 'id' | 'createdAt'>) =>
      functionGrants.add(grantId, { ...grant, id: `fg_${randomUUID()}` }),

    listGrants: (of: FunctionName, endUserId: string | undefined) => functionGrants.list(of, endUserId),

    async revokeGrant(of: FunctionName, id: string, by: Actor): Promise<FunctionGrant> {
      const revoked = await functionGrants.revoke(of, id, by)
      if (!revoked) throw new Failure('resource_unknown', 'No grant has this id.')
      return revoked
    },
  }
}

const isAt = (user: FunctionUser, { workspace, name }: FunctionName, functionId: string): boolean =>
  user.workspace === workspace && user.name === name && user.functionId === functionId
