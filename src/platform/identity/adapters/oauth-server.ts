import { IncomingMessage, type ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { isToolScope } from '../../shared/domain/function-resource.ts'
import { claimedName, destinationOf, isRegisteredId } from '../domain/client-registration.ts'
import { isFunctionUserId } from '../domain/function-access.ts'
import type { CurrentServer } from './current-server.ts'
import { toolResourceOf } from './resource-servers.ts'

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

type MissingScopes = { missingOIDCScope?: string[]; missingResourceScopes?: Record<string, string[]> }

export function oauthServer({ provider }: Pick<CurrentServer, 'provider'>, publicUrl: string, gatewayUrl: string) {
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
        ...(await appOf(server, details)),
        accountId: details.session?.accountId,
        target: toolResourceOf({ gatewayUrl }, details.params.resource),
        toolScopes: String(details.params.scope ?? '')
          .split(' ')
          .filter(isToolScope),
        personalScopes: missing.missingOIDCScope ?? [],
        scopes: Object.values(missing.missingResourceScopes ?? {}).flat(),
      }
    },

    /** Each method returns the URL where the browser continues. */
    async signedIn(req: IncomingMessage, res: ServerResponse, accountId: string): Promise<string> {
      return (await provider()).interactionResult(
        req,
        res,
        // A function login is not remembered by the browser.
        { login: { accountId, remember: !isFunctionUserId(accountId) } },
        { mergeWithLastSubmission: false },
      )
    },

    /** Stores the consent. It takes effect when the browser continues. */
    async grant(req: IncomingMessage, res: ServerResponse): Promise<string> {
      const server = await provider()
      const details = await server.interactionDetails(req, res)
      const target = toolResourceOf({ gatewayUrl }, details.params.resource)
      return target ? grantTools(server, details) : grantAll(server, details)
    },

    async allowed(req: IncomingMessage, res: ServerResponse, grantId: string): Promise<string> {
      const result = { consent: { grantId } }
      return (await provider()).interactionResult(req, res, result, { mergeWithLastSubmission: true })
    },

    async refused(req: IncomingMessage, res: ServerResponse): Promise<string> {
      const result = { error: 'access_denied', error_description: 'the user denied access' }
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

/** A new grant per consent at a function, so that each can be revoked separately. */
async function grantTools(server: Provider, { session, params }: Details): Promise<string> {
  const grant = new server.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) })
  const asked = String(params.scope ?? '').split(' ')
  grant.addOIDCScope(asked.filter((scope) => scope === 'openid' || scope === 'offline_access').join(' '))
  grant.addResourceScope(String(params.resource), asked.filter(isToolScope).join(' '))
  return grant.save()
}

async function appOf(server: Provider, { params }: Details) {
  const clientId = String(params.client_id)
  const client = await server.Client.find(clientId)
  const isDocument = client?.clientIdMetadataDocument === true
  const app = (isDocument ? claimedName(client?.clientName) : client?.clientName) ?? clientId
  const redirectTo = typeof params.redirect_uri === 'string' ? destinationOf(params.redirect_uri) : ''
  // Only the host of a metadata document is verified.
  const publisher = isDocument ? new URL(clientId).host : undefined
  return { clientId, app, redirectTo, publisher, isVouched: !isDocument && !isRegisteredId(clientId) }
}

/** The server builds URLs from host and scheme, so both are taken from the public URL, not from the caller. */
function replayed(req: IncomingMessage, url: string, address: URL, parameters: Record<string, string> | undefined) {
  const replay = new IncomingMessage(req.socket)
  const body = parameters && new URLSearchParams(parameters).toString()
  const { authorization, 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = req.headers
  // Incomplete messages destroy their socket after being read.
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
