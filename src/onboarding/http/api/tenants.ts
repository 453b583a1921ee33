import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { Flows } from '../../flows/flows.ts'
import {
  CreatedTenantAnswer,
  IntegrationAnswer,
  ListedClientAnswer,
  OwnClientAnswer,
  pageOf,
  RotatedSigningSecretAnswer,
  TenantAnswer,
} from './answer-schemas.ts'
import { integrationAnswer, listedClientAnswer, pageAnswer, tenantAnswer } from './answers.ts'
import { route } from './route.ts'
import { Id, OwnClientBody, SigningRotationBody, TenantBody, TenantId, TenantPageQuery } from './schemas.ts'

type Needs = Pick<
  Flows,
  | 'putTenant'
  | 'rotateSigningSecret'
  | 'readTenant'
  | 'listTenants'
  | 'listOwnClients'
  | 'putOwnClient'
  | 'deleteOwnClient'
  | 'listIntegrations'
>

const tag = 'Tenants'

export const tenantRoutes = (flows: Needs) => [
  route({
    method: 'get',
    path: '/tenants',
    name: 'listTenants',
    summary: 'List tenants',
    tag,
    query: TenantPageQuery,
    answers: { 200: pageOf(TenantAnswer) },
    handle: async ({ caller, query: { cursor, limit } }) => {
      return { status: 200, body: pageAnswer(await flows.listTenants({ caller, cursor, limit }), tenantAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{id}',
    name: 'readTenant',
    summary: 'Read a tenant',
    tag,
    params: { id: Id },
    answers: { 200: TenantAnswer },
    handle: async ({ caller, params: { id } }) => {
      return { status: 200, body: tenantAnswer(await flows.readTenant({ caller, id })) }
    },
  }),
  route({
    method: 'put',
    path: '/tenants/{id}',
    name: 'putTenant',
    summary: 'Create or change a tenant',
    tag,
    params: { id: TenantId },
    body: TenantBody,
    answers: { 200: TenantAnswer, 201: CreatedTenantAnswer },
    refuses: ['key_limited', 'workspace_taken'],
    handle: async ({ caller, actor, params: { id }, body }) => {
      const { tenant, signingSecret } = await flows.putTenant({ caller, actor, tenant: { id, ...body } })
      if (!signingSecret) return { status: 200, body: tenantAnswer(tenant) }
      return { status: 201, body: { ...tenantAnswer(tenant), signingSecret: signingSecret.reveal() } }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{id}/rotate-signing-secret',
    name: 'rotateSigningSecret',
    summary: 'Make the secret that will sign results on return URLs',
    tag,
    params: { id: Id },
    body: SigningRotationBody,
    answers: { 200: RotatedSigningSecretAnswer },
    refuses: ['key_limited'],
    handle: async ({ caller, actor, params: { id }, body: { afterSeconds } }) => {
      const { signingSecret, signsFrom } = await flows.rotateSigningSecret({ caller, actor, id, afterSeconds })
      return { status: 200, body: { signingSecret: signingSecret.reveal(), signsFrom: signsFrom.toISOString() } }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{id}/oauth-clients',
    name: 'listOAuthClients',
    summary: "List the tenant's own OAuth clients, without their secrets",
    tag,
    params: { id: Id },
    answers: { 200: z.strictObject({ data: z.array(ListedClientAnswer) }) },
    handle: async ({ caller, params: { id } }) => {
      return {
        status: 200,
        body: { data: (await flows.listOwnClients({ caller, tenant: id })).map(listedClientAnswer) },
      }
    },
  }),
  route({
    method: 'put',
    path: '/tenants/{id}/oauth-clients/{integration}',
    name: 'putOAuthClient',
    summary: "Use the tenant's own OAuth client for an integration",
    tag,
    params: { id: Id, integration: Id },
    body: OwnClientBody,
    answers: { 200: OwnClientAnswer },
    handle: async ({ caller, actor, params: { id, integration }, body: { clientId, clientSecret } }) => {
      const client = { id: clientId, secret: clientSecret === undefined ? undefined : new Secret(clientSecret) }
      await flows.putOwnClient({ caller, actor, tenant: id, integration, client })
      return { status: 200, body: { integration, clientId } }
    },
  }),
  route({
    method: 'delete',
    path: '/tenants/{id}/oauth-clients/{integration}',
    name: 'deleteOAuthClient',
    summary: "Go back to the deployment's OAuth client",
    tag,
    params: { id: Id, integration: Id },
    answers: { 204: undefined },
    handle: async ({ caller, actor, params: { id, integration } }) => {
      await flows.deleteOwnClient({ caller, actor, tenant: id, integration })
      return { status: 204 }
    },
  }),
  route({
    method: 'get',
    path: '/integrations',
    name: 'listIntegrations',
    summary: 'List integrations that can be linked',
    tag: 'Integrations',
    answers: { 200: z.strictObject({ data: z.array(IntegrationAnswer) }) },
    handle: async ({ caller }) => {
      return { status: 200, body: { data: (await flows.listIntegrations({ caller })).map(integrationAnswer) } }
    },
  }),
]
