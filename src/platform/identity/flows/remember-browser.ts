import { randomBytes } from 'node:crypto'
import { Secret } from '../../../kit/crypto/secret.ts'
import { type Actor, actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { hashOf } from '../domain/api-key.ts'
import type { FunctionUser } from '../domain/function-access.ts'
import type { IdentityPorts } from '../domain/ports.ts'

type Ports = Pick<IdentityPorts, 'rememberedBrowsers' | 'functionUsers'>

/** Without the address, which is personal data that an erasure could not remove. */
export type From = Pick<Actor, 'requestId'>

export async function rememberBrowser(
  { rememberedBrowsers }: Ports,
  { opened, user }: { opened: Secret; user: FunctionUser },
  from: From,
): Promise<Secret> {
  const remembered = new Secret(randomBytes(32).toString('base64url'))
  await rememberedBrowsers.add(hashOf(remembered.reveal()), hashOf(opened.reveal()), endUser(user, from))
  return remembered
}

export const rememberedUser = (
  { rememberedBrowsers }: Pick<Ports, 'rememberedBrowsers'>,
  remembered: string,
): Promise<FunctionUser | undefined> => rememberedBrowsers.find(hashOf(remembered))

export async function forgetBrowser({ rememberedBrowsers }: Ports, remembered: string, from: From): Promise<void> {
  const user = await rememberedUser({ rememberedBrowsers }, remembered)
  if (user) await rememberedBrowsers.remove(hashOf(remembered), endUser(user, from))
}

export const endOpenedLogin = ({ functionUsers }: Ports, opened: string): Promise<void> =>
  functionUsers.endOpened(hashOf(opened))

/** In all browsers. What MCP clients were allowed stays. */
export async function signOutEndUser(
  { functionUsers, findFunction }: Pick<IdentityPorts, 'functionUsers' | 'findFunction'>,
  { workspace, caller }: Member,
  name: string,
  endUserId: string,
): Promise<number> {
  if (!(await findFunction(workspace, name))) throw new Failure('resource_unknown', 'No function has this name.')
  return functionUsers.signOut(workspace, endUserId, actorOf(caller))
}

/** Without the label, for the same reason. */
const endUser = ({ id }: FunctionUser, from: From): Actor => ({
  kind: 'end_user',
  id,
  label: id,
  credential: `login:${id}`,
  ...from,
})
