import { randomBytes, randomUUID } from 'node:crypto'
import { Secret } from '../../../kit/crypto/secret.ts'
import { type Actor, actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { FunctionName, ToolResource } from '../../shared/domain/function-resource.ts'
import { hashOf } from '../domain/api-key.ts'
import { type FunctionGrant, type FunctionUser, functionUserId, isFunctionUserId } from '../domain/function-access.ts'
import type { IdentityPorts } from '../domain/ports.ts'

const closed = () => new Failure('resource_unknown', 'You don’t have access to this function, or it no longer exists.')

/** Throws if the account has no access. A grant for all functions of a person belongs to the function of their login. */
export async function describeTarget(ports: IdentityPorts, { workspace, name }: ToolResource, accountId: string) {
  if (name !== undefined) return { ...(await describeFunction(ports, { workspace, name }, accountId)), name }
  const user = isFunctionUserId(accountId) ? await ports.functionUsers.find(accountId) : undefined
  if (user?.workspace !== workspace) throw closed()
  const functions = await functionsOf(ports, workspace, user.endUserId)
  if (!functions.some(({ functionId }) => functionId === user.functionId)) throw closed()
  const titles = [...new Set(functions.map(({ title }) => title))]
  return { ...user, title: `all your apps (${titles.join(', ')})` }
}

/** The functions that the tenant opened for the person. */
export async function functionsOf(
  { functionUsers, findFunction }: Pick<IdentityPorts, 'functionUsers' | 'findFunction'>,
  workspace: string,
  endUserId: string,
) {
  const users = await functionUsers.ofEndUser(workspace, endUserId)
  const found = await Promise.all(
    users.map(async (user) => ({ user, function: await findFunction(workspace, user.name) })),
  )
  return found.flatMap(({ user, function: of }) =>
    of?.id === user.functionId ? [{ ...user, title: of.displayName, toolPrefix: of.toolPrefix }] : [],
  )
}

async function describeFunction(ports: IdentityPorts, of: FunctionName, accountId: string) {
  const found = await ports.findFunction(of.workspace, of.name)
  if (!found) throw closed()
  const person = await (isFunctionUserId(accountId)
    ? asFunctionUser(ports, accountId, of, found.id)
    : asMember(ports, accountId, of))
  if (!person) throw closed()
  return { title: found.displayName, functionId: found.id, ...person }
}

async function asFunctionUser({ functionUsers }: IdentityPorts, id: string, of: FunctionName, functionId: string) {
  const user = await functionUsers.find(id)
  const isAt = user?.workspace === of.workspace && user.name === of.name && user.functionId === functionId
  return isAt ? { label: user.label, endUserId: user.endUserId } : undefined
}

async function asMember({ users, memberships }: IdentityPorts, accountId: string, { workspace }: FunctionName) {
  const [user, open] = await Promise.all([users.find(accountId), memberships.ofUser(accountId)])
  const isMember = open.some((membership) => membership.workspace === workspace)
  return user && isMember ? { label: user.email, endUserId: undefined } : undefined
}

export async function createLogin(
  { findFunction, functionUsers, now }: IdentityPorts,
  { workspace, caller }: Member,
  name: string,
  { endUserId, label, expiresInSeconds }: { endUserId: string; label: string; expiresInSeconds: number },
) {
  const found = await findFunction(workspace, name)
  if (!found) throw new Failure('resource_unknown', 'No function has this name.')
  const token = new Secret(randomBytes(32).toString('base64url'))
  const expiresAt = new Date(now().getTime() + expiresInSeconds * 1000)
  const user = { id: functionUserId(randomUUID()), workspace, name, functionId: found.id, endUserId, label }
  const login = { hash: hashOf(token.reveal()), expiresAt, grant: caller.grant }
  await functionUsers.addLogin(user, login, actorOf(caller))
  return { token, expiresAt }
}

export async function showLogin(
  { functionUsers, findFunction }: IdentityPorts,
  token: string,
): Promise<{ title: string; label: string } | undefined> {
  const user = await functionUsers.findLogin(hashOf(token))
  const found = user && (await findFunction(user.workspace, user.name))
  return found && found.id === user.functionId ? { title: found.displayName, label: user.label } : undefined
}

/** Single use. `opened` replaces the token for 15 minutes in the browser that opened it. */
export async function openLogin(
  { functionUsers }: IdentityPorts,
  token: string,
): Promise<{ opened: Secret; user: FunctionUser } | undefined> {
  const opened = new Secret(randomBytes(32).toString('base64url'))
  const user = await functionUsers.openLogin(hashOf(token), hashOf(opened.reveal()))
  return user && { opened, user }
}

export async function openedLogin(
  { functionUsers }: IdentityPorts,
  opened: string,
  of: ToolResource,
): Promise<string | undefined> {
  const user = await openedUser({ functionUsers }, opened)
  if (user?.workspace !== of.workspace) return undefined
  return of.name === undefined || user.name === of.name ? user.id : undefined
}

export const openedUser = (
  { functionUsers }: Pick<IdentityPorts, 'functionUsers'>,
  opened: string,
): Promise<FunctionUser | undefined> => functionUsers.findOpened(hashOf(opened))

export function noteGrant(
  { functionGrants }: IdentityPorts,
  grantId: string,
  grant: Omit<FunctionGrant, 'id' | 'createdAt'>,
  by?: Actor,
): Promise<void> {
  return functionGrants.add(grantId, { ...grant, id: `fg_${randomUUID()}` }, by)
}

export function listGrants({ functionGrants }: IdentityPorts, of: FunctionName, endUserId: string | undefined) {
  return functionGrants.list(of, endUserId)
}

export async function revokeGrant(
  { functionGrants }: IdentityPorts,
  of: FunctionName,
  id: string,
  by: Actor,
): Promise<FunctionGrant> {
  const revoked = await functionGrants.revoke(of, id, by)
  if (!revoked) throw new Failure('resource_unknown', 'No grant has this ID.')
  return revoked
}
