import { type RequestHandler, Router } from 'express'
import { newestApiVersion } from '../../../../contract/api-version.ts'
import type { BrandedHeaders } from '../../../../contract/headers.ts'
import { allScopes } from '../../../../contract/scopes.ts'
import { lazy } from '../../../../kit/cache/lazy.ts'
import type { Operation } from '../operation.ts'
import { type GatewayAddress, keys, type OAuthAddress, operationDescriber } from './operations.ts'
import { schemaTranslator } from './schemas.ts'

type About = { addresses: { api: string; inference: string; auth: string }; headers: BrandedHeaders }

type ServedAddresses = {
  operations: readonly Operation[]
  gateway: readonly GatewayAddress[]
  oauth: readonly OAuthAddress[]
}

/** The document is the same for everybody and public: it contains nothing that this repository does not. */
export function openapiRoutes(served: ServedAddresses, about: About): Router {
  const document = lazy(() => openapiDocument(served, about))
  const send: RequestHandler = (_req, res) => void res.json(document())
  return Router().get('/openapi.json', send).get('/v0/openapi.json', send)
}

/** Made from the schemas that check requests, so it cannot say anything else than they do. */
export function openapiDocument({ operations, gateway, oauth }: ServedAddresses, { addresses, headers }: About) {
  const { api, inference, auth } = addresses
  const { translate, components } = schemaTranslator()
  const describe = operationDescriber(headers, translate)
  const paths: Record<string, Record<string, unknown>> = {}
  const add = ({ path, method }: OAuthAddress, described: object) => {
    const named = path.replace(/[:*](\w+)/g, '{$1}')
    paths[named] = { ...paths[named], [method]: described }
  }
  for (const operation of operations) add(operation, describe.operation(operation))
  const at = (url: string) => ({ servers: [{ url }] })
  for (const address of gateway) add(address, { ...at(address.atApi ? api : inference), ...describe.address(address) })
  for (const address of oauth) add(address, { ...at(auth), ...describe.oauth(address) })
  return {
    openapi: '3.1.0',
    info: { title: 'Workload platform', version: newestApiVersion },
    ...at(`${api}/v0`),
    security: [{ oauth: ['admin'] }, ...keys],
    paths,
    webhooks: { callback: { post: describe.callback() } },
    components: { schemas: components, securitySchemes: securitySchemes(auth, headers) },
  }
}

function securitySchemes(auth: string, headers: BrandedHeaders) {
  const scopes = Object.fromEntries(allScopes.map((scope) => [scope, scope === 'admin' ? 'Everything' : scope]))
  const tokenUrl = `${auth}/oauth/token`
  return {
    apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
    brandedApiKey: { type: 'apiKey', in: 'header', name: headers.authorization, description: 'Bearer and the key.' },
    oauth: {
      type: 'oauth2',
      flows: {
        authorizationCode: { authorizationUrl: `${auth}/oauth/authorize`, tokenUrl, scopes },
        clientCredentials: { tokenUrl, scopes },
      },
    },
  }
}
