import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../shared/domain/caller.ts'
import { type FunctionUsers, isFunctionUserId } from '../domain/function-access.ts'
import { ownPages } from '../domain/own-pages.ts'
import { endedBy } from '../domain/password.ts'
import type { Users } from '../domain/ports.ts'
import type { CurrentServer } from './current-server.ts'

type Needs = {
  current: Pick<CurrentServer, 'provider'>
  users: Pick<Users, 'find'>
  functionUsers: Pick<FunctionUsers, 'find'>
  publicUrl: string
}

export function browserSessions({ current, users, functionUsers, publicUrl }: Needs) {
  const sessionOf = async (req: IncomingMessage, res: ServerResponse) => {
    const server = await current.provider()
    return server.Session.get(server.createContext(req, res))
  }
  const userOf = async (req: IncomingMessage, res: ServerResponse) => {
    const { accountId, loginTs } = await sessionOf(req, res)
    const user = accountId === undefined ? undefined : await users.find(accountId)
    return { accountId, loginTs, user: user && !endedBy(loginTs, user.passwordSetAt) ? user : undefined }
  }
  return {
    /** A session is not scoped, like an API key of the user. */
    async user(req: IncomingMessage, res: ServerResponse): Promise<Caller | undefined> {
      const { user } = await userOf(req, res)
      if (!user) return undefined
      const common = { scopes: undefined, workspace: undefined }
      return { ...common, kind: 'user', id: user.id, label: user.email, credential: `session:${user.id}` }
    },

    /** Also an end user, who signed in with a function login. */
    async accountOf(req: IncomingMessage, res: ServerResponse): Promise<{ id: string; label: string } | undefined> {
      const { accountId, loginTs, user } = await userOf(req, res)
      if (user) return { id: user.id, label: user.email }
      if (accountId === undefined || !isFunctionUserId(accountId)) return undefined
      const endUser = await functionUsers.find(accountId)
      return endedBy(loginTs, endUser?.signedOutAt) ? undefined : endUser
    },

    async end(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const session = await sessionOf(req, res)
      if (session.accountId !== undefined) await session.destroy()
    },

    signInAddress(path: string): string {
      const address = new URL('/oauth/authorize', publicUrl)
      address.search = new URLSearchParams({
        client_id: ownPages.clientId,
        response_type: 'none',
        scope: 'openid',
        redirect_uri: new URL(ownPages.returnPath, publicUrl).href,
        state: path,
      }).toString()
      return address.href
    },
  }
}
