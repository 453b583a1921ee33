import type { Router } from 'express'
import type { BrandedHeaders } from '../../../../contract/headers.ts'
import { newestApiVersion } from '../../../../contract/headers.ts'
import { allScopes } from '../../../../contract/scopes.ts'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { jsonDocument } from '../../../../kit/http/json-document.ts'
import { describeApi } from '../../../../kit/http/openapi/document.ts'
import { documentParts } from '../../../../kit/http/openapi/document-parts.ts'
import type { Operation } from '../operation.ts'
import { type Addresses, documentRules, type GatewayAddress, keys, type OAuthAddress } from './rules.ts'
import { schemaNames } from './schema-names.ts'
import { tags } from './tags.ts'

type About = { addresses: Addresses; headers: BrandedHeaders }

type ServedAddresses = {
  operations: readonly Operation[]
  gateway: readonly GatewayAddress[]
  oauth: readonly OAuthAddress[]
}

export function openapiRoutes(served: ServedAddresses, about: About): Router {
  const send = jsonDocument(() => openapiDocument(served, about))
  return exactRouter().get('/openapi.json', send).get('/v0/openapi.json', send)
}

function openapiDocument({ operations, gateway, oauth }: ServedAddresses, { addresses, headers }: About) {
  const parts = documentParts(schemaNames)
  const rules = documentRules(parts, addresses, headers)
  const routes = [...operations.map(rules.operation), ...gateway.map(rules.address), ...oauth.map(rules.oauth)]
  return describeApi(parts, routes, {
    info: {
      title: 'Workload platform',
      version: newestApiVersion,
      description: 'Workloads of a workspace, their integrations, and their costs.',
      contact: { name: 'This deployment', url: addresses.api },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags,
    servers: [{ url: `${addresses.api}/v0` }],
    security: [{ oauth: ['admin'] }, ...keys],
    securitySchemes: securitySchemes(addresses.auth, headers),
    webhooks: { callback: { post: rules.callback() } },
  })
}

function securitySchemes(auth: string, headers: BrandedHeaders) {
  const scopes = Object.fromEntries(allScopes.map((scope) => [scope, scope === 'admin' ? 'Full access' : scope]))
  const tokenUrl = `${auth}/oauth/token`
  return {
    apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
    brandedApiKey: { type: 'apiKey', in: 'header', name: headers.authorization, description: '`Bearer` and the key.' },
    oauth: {
      type: 'oauth2',
      flows: {
        authorizationCode: { authorizationUrl: `${auth}/oauth/authorize`, tokenUrl, scopes },
        clientCredentials: { tokenUrl, scopes },
      },
    },
  }
}
