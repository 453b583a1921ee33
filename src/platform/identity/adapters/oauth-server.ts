// The authorization server as our routes use it: requests are replayed to it, interactions are read and answered.
import { IncomingMessage, type ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { CurrentServer } from './current-server.ts'

export type OAuthServer = ReturnType<typeof oauthServer>

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

/** What the server still needs a yes for. */
type MissingScopes = { missingOIDCScope?: string[]; missingResourceScopes?: Record<string, string[]> }

export function oauthServer({ provider }: Pick<CurrentServer, 'provider'>, publicUrl: string) {
  const address = new URL(publicUrl)
  return {
    async serve(req: IncomingMessage, res: ServerResponse, url: string, parameters?: Record<string, string>) {
      const server = await provider()
      await server.callback()(replayed(req, url, address, parameters), res)
    },

    async interaction(req: IncomingMessage, res: ServerResponse) {
      const server = await provider()
      const details = await server.interactionDetails(req, res)
      const missing = details.prompt.details as MissingScopes
      return {
        uid: details.uid,
        step: details.prompt.name,
        app: await appName(server, details),
        personalScopes: missing.missingOIDCScope ?? [],
        scopes: Object.values(missing.missingResourceScopes ?? {}).flat(),
      }
    },

    /** Each answers the address where the browser goes on. */
    async signedIn(req: IncomingMessage, res: ServerResponse, accountId: string): Promise<string> {
      return (await provider()).interactionResult(
        req,
        res,
        { login: { accountId } },
        { mergeWithLastSubmission: false },
      )
    },

    async allowed(req: IncomingMessage, res: ServerResponse): Promise<string> {
      const server = await provider()
      const grantId = await grantAll(server, await server.interactionDetails(req, res))
      return server.interactionResult(req, res, { consent: { grantId } }, { mergeWithLastSubmission: true })
    },

    async refused(req: IncomingMessage, res: ServerResponse): Promise<string> {
      const result = { error: 'access_denied', error_description: 'the person said no' }
      return (await provider()).interactionResult(req, res, result, { mergeWithLastSubmission: false })
    },
  }
}

async function grantAll(server: Provider, { grantId, session, params, prompt }: Details): Promise<string> {
  const known = grantId ? await server.Grant.find(grantId) : undefined
  const grant = known ?? new server.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) })
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details as MissingScopes
  grant.addOIDCScope(missingOIDCScope.join(' '))
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
    grant.addResourceScope(resource, scopes.join(' '))
  }
  return grant.save()
}

async function appName(server: Provider, { params }: Details): Promise<string> {
  const client = await server.Client.find(String(params.client_id))
  return client?.clientName ?? String(params.client_id)
}

/**
 * The request as the server shall see it: the body as a form, and host and scheme of our own public address,
 * because the server builds addresses from them and a caller may write there what it likes.
 */
function replayed(req: IncomingMessage, url: string, address: URL, parameters: Record<string, string> | undefined) {
  const replay = new IncomingMessage(req.socket)
  const body = parameters && new URLSearchParams(parameters).toString()
  const { authorization, 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = req.headers
  // Incomplete messages take their socket down with them when they have been read.
  Object.assign(replay, { method: req.method, url, complete: true })
  replay.headers = {
    ...kept,
    ...(parameters === undefined && authorization !== undefined && { authorization }),
    host: address.host,
    'x-forwarded-host': address.host,
    'x-forwarded-proto': address.protocol.replace(':', ''),
    ...(body !== undefined && {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
    }),
  }
  if (body !== undefined) replay.push(body)
  replay.push(null)
  return replay
}
