import { z } from 'zod'
import { Account as AccountDocument } from '../../../contract/control-plane/member.ts'
import {
  ApiKey,
  ApiKeyInput,
  ServiceAccount as ServiceAccountDocument,
  ServiceAccountInput,
  ServiceAccountUpdate,
} from '../../../contract/control-plane/service-account.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import type { MemberRequest, Operation } from '../../shared/http/operation.ts'
import type { Account, IdentityPorts, KeyOwner, KeyRecord, ServiceAccount } from '../domain/ports.ts'
import { findAccount, listAccounts } from '../flows/manage-accounts.ts'
import { createApiKey, listApiKeys, ownerOf, revokeApiKey } from '../flows/manage-api-keys.ts'
import {
  createServiceAccount,
  findServiceAccount,
  listServiceAccounts,
  removeServiceAccount,
  updateServiceAccount,
} from '../flows/manage-service-accounts.ts'

export const identityOperations = (ports: IdentityPorts): Operation[] => [
  ...accountOperations(ports),
  ...serviceAccountOperations(ports),
  ...serviceAccountKeyOperations(ports),
  ...ownKeyOperations(ports),
]

const accountOperations = (ports: IdentityPorts): Operation[] => [
  {
    method: 'get',
    path: '/accounts',
    scope: 'accounts:list',
    summary: 'List the accounts of the caller',
    answers: { 200: z.array(AccountDocument) },
    handleCaller: async ({ caller }) => (await listAccounts(ports, caller)).map(showAccount),
  },
  {
    method: 'get',
    path: '/accounts/{accountId}',
    scope: 'accounts:get',
    summary: 'Read an account',
    answers: { 200: AccountDocument },
    handleCaller: async ({ caller, req }) =>
      showAccount(await findAccount(ports, caller, String(req.params.accountId))),
  },
]

const oneAccount = '/service_accounts/{clientId}'
const idIn = ({ req }: Pick<MemberRequest, 'req'>) => String(req.params.clientId)

const serviceAccountOperations = (ports: IdentityPorts): Operation[] => [
  {
    method: 'post',
    path: '/service_accounts',
    scope: 'serviceAccounts:create',
    adminOnly: true,
    summary: 'Create a service account; the response shows its client secret once',
    body: ServiceAccountInput,
    answers: { 200: ServiceAccountDocument },
    handle: async ({ member, req }) => {
      const { caller: minter, workspace } = member
      const input = ServiceAccountInput.parse(req.body)
      const wanted = { ...input, workspace, by: actorOf(minter), minter }
      const { account, secret } = await createServiceAccount(ports, wanted)
      const clientSecret = secret.reveal()
      return { ...showServiceAccount(account), clientSecret, client_secret: clientSecret }
    },
  },
  {
    method: 'get',
    path: '/service_accounts',
    scope: 'serviceAccounts:list',
    summary: 'List the service accounts of the workspace',
    answers: { 200: z.array(ServiceAccountDocument) },
    handle: async ({ member }) => (await listServiceAccounts(ports, member)).map(showServiceAccount),
  },
  {
    method: 'get',
    path: oneAccount,
    scope: 'serviceAccounts:get',
    summary: 'Read a service account',
    answers: { 200: ServiceAccountDocument },
    handle: async (request) => showServiceAccount(await findServiceAccount(ports, request.member, idIn(request))),
  },
  {
    method: 'put',
    path: oneAccount,
    scope: 'serviceAccounts:update',
    adminOnly: true,
    summary: 'Update a service account',
    body: ServiceAccountUpdate,
    answers: { 200: ServiceAccountDocument },
    handle: async (request) => {
      const input = ServiceAccountUpdate.parse(request.req.body)
      return showServiceAccount(await updateServiceAccount(ports, request.member, idIn(request), input))
    },
  },
  {
    method: 'delete',
    path: oneAccount,
    scope: 'serviceAccounts:delete',
    adminOnly: true,
    summary: 'Delete a service account and its keys',
    answers: { 200: ServiceAccountDocument },
    handle: async (request) => showServiceAccount(await removeServiceAccount(ports, request.member, idIn(request))),
  },
]

const serviceAccountKeyOperations = (ports: IdentityPorts): Operation[] => {
  const path = `${oneAccount}/api_keys`
  const ownerIn = async (request: MemberRequest): Promise<KeyOwner> => ({
    serviceAccountId: (await findServiceAccount(ports, request.member, idIn(request))).clientId,
  })
  return [
    {
      method: 'post',
      path,
      scope: 'apiKey:write',
      adminOnly: true,
      summary: 'Create an API key for a service account; the response shows it once',
      body: ApiKeyInput,
      answers: { 200: ApiKey },
      handle: async (request) => {
        const input = ApiKeyInput.parse(request.req.body)
        const wanted = { ...input, owner: await ownerIn(request), by: actorIn(request), minter: request.member.caller }
        return showNewKey(await createApiKey(ports, wanted))
      },
    },
    {
      method: 'get',
      path,
      scope: 'apiKey:list',
      adminOnly: true,
      summary: 'List the API keys of a service account',
      answers: { 200: z.array(ApiKey) },
      handle: async (request) => (await listApiKeys(ports, await ownerIn(request))).map(showKey),
    },
    {
      method: 'delete',
      path: `${path}/{apiKeyId}`,
      scope: 'apiKey:write',
      adminOnly: true,
      summary: 'Revoke an API key of a service account',
      answers: { 200: ApiKey },
      handle: async (request) =>
        showKey(
          await revokeApiKey(ports, await ownerIn(request), String(request.req.params.apiKeyId), actorIn(request)),
        ),
    },
  ]
}

const ownKeyOperations = (ports: IdentityPorts): Operation[] => [
  {
    method: 'post',
    path: '/api_keys',
    scope: 'apiKey:write',
    summary: 'Create an API key for the caller; the response shows it once',
    body: ApiKeyInput,
    answers: { 200: ApiKey },
    handleCaller: async ({ caller, req }) => {
      const input = ApiKeyInput.parse(req.body)
      const wanted = { ...input, owner: ownerOf(caller), by: actorOf(caller), minter: caller }
      return showNewKey(await createApiKey(ports, wanted))
    },
  },
  {
    method: 'get',
    path: '/api_keys',
    scope: 'apiKey:list',
    summary: 'List the API keys of the caller',
    answers: { 200: z.array(ApiKey) },
    handleCaller: async ({ caller }) => (await listApiKeys(ports, ownerOf(caller))).map(showKey),
  },
  {
    method: 'delete',
    path: '/api_keys/{apiKeyId}',
    scope: 'apiKey:write',
    summary: 'Revoke an API key of the caller',
    answers: { 200: ApiKey },
    handleCaller: async ({ caller, req }) =>
      showKey(await revokeApiKey(ports, ownerOf(caller), String(req.params.apiKeyId), actorOf(caller))),
  },
]

const actorIn = ({ member }: MemberRequest) => actorOf(member.caller)

const showAccount = ({ createdAt, ...rest }: Account): AccountDocument => ({
  ...rest,
  createdAt: createdAt.toISOString(),
})

function showServiceAccount({ createdAt, updatedAt, scopes, ...rest }: ServiceAccount): ServiceAccountDocument {
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
  const underscored = { client_id: rest.clientId, created_at: times.createdAt, updated_at: times.updatedAt }
  return { ...rest, ...(scopes && { scopes }), ...times, ...underscored }
}

const showKey = ({ createdAt, lastUsedAt, expiresAt, scopes, ...rest }: KeyRecord): ApiKey => ({
  ...rest,
  ...(scopes && { scopes }),
  createdAt: createdAt.toISOString(),
  ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
})

const showNewKey = ({ record, key }: Awaited<ReturnType<typeof createApiKey>>): ApiKey => ({
  ...showKey(record),
  apiKey: key.reveal(),
})
