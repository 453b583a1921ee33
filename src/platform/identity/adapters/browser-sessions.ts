import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../shared/domain/caller.ts'
import { ownPages } from '../domain/own-pages.ts'
import { endedByPassword } from '../domain/password.ts'
import type { Users } from '../domain/ports.ts'
import type { CurrentServer } from './current-server.ts'

type Needs = { current: Pick<CurrentServer, 'provider'>; users: Pick<Users, 'find'>; publicUrl: string }

export function browserSessions({ current, users, publicUrl }: Needs) {
  const sessionOf = async (req: IncomingMessage, res: ServerResponse) => {
    const server = await current.provider()
    return server.Session.get(server.createContext(req, res))
  }
  return {
    /** A session is not scoped, like an API key of the user. */
    async user(req: IncomingMessage, res: ServerResponse): Promise<Caller | undefined> {
      const { accountId, loginTs } = await sessionOf(req, res)
      const user = accountId === undefined ? undefined : await users.find(accountId)
      if (!user || endedByPassword(loginTs, user.passwordSetAt)) return undefined
      const common = { scopes: undefined, workspace: undefined }
      return { ...common, kind: 'user', id: user.id, label: user.email, credential: `session:${user.id}` }
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
