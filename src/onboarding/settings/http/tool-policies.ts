import { z } from 'zod'
import { NarrowPolicy } from '../../domain/settings-changes/tool-policy.ts'
import { route } from '../../http/route.ts'
import { Id, listAnswer, listOf, reason, TenantId } from '../../http/schemas.ts'
import {
  changeToolPolicy,
  listToolPolicyVersions,
  readToolPolicy,
  rollBackToolPolicy,
  type ShownPolicy,
} from '../flows/change-tool-policy.ts'
import type { ShownVersion } from '../flows/read-settings.ts'
import {
  ChangedBy,
  changedAt,
  changedMembers,
  ifVersion,
  repeatedVersion,
  restoredVersion,
  VersionsQuery,
} from './integration-settings.ts'

const Policy = NarrowPolicy.meta({
  id: 'ToolPolicy',
  description: 'Which tools may be called.',
  examples: [{ deny: ['send_message'], perMinute: { '*': 60 } }],
})

const PutBody = z.strictObject({ policy: Policy, ifVersion, reason: reason.optional() }).meta({
  id: 'ToolPolicyRequest',
  description: 'A tool policy that replaces the current one.',
  examples: [{ policy: { readOnly: true }, reason: 'trial' }],
})

const RollbackBody = z.strictObject({ version: repeatedVersion, ifVersion, reason: reason.optional() }).meta({
  id: 'ToolPolicyRollbackRequest',
  description: 'Which version to repeat as a new one.',
  examples: [{ version: 3, reason: 'the new policy was too narrow' }],
})

const RemoveQuery = z.strictObject({
  ifVersion: z.coerce.number().int().min(0).optional().meta({ description: 'The version that you read.' }),
  reason: reason.optional(),
})

const PolicyAnswer = z
  .strictObject({
    version: z.int().meta({ description: '0 if there never was a policy.' }),
    policy: Policy.optional().meta({ description: 'Absent if there is none.' }),
    changedAt: changedAt.optional(),
    changedBy: ChangedBy.optional(),
    reason: z.string().optional(),
    effective: z
      .strictObject({
        allow: z.array(z.string()).optional().meta({ description: 'Only these tools. Absent: every tool.' }),
        deny: z.array(z.string()).meta({ description: 'Not these tools.' }),
        readOnly: z.boolean().meta({ description: 'Whether only tools that change nothing are allowed.' }),
        relay: z
          .array(z.record(z.string(), z.array(z.string())))
          .meta({ description: 'A request of the relay must fit all of them.' }),
        accessTokens: z.boolean().meta({ description: 'Whether access tokens may be issued.' }),
        perMinute: z.record(z.string(), z.int()).meta({ description: 'The lowest limit of each tool.' }),
        approval: z
          .array(z.record(z.string(), z.unknown()))
          .meta({ description: 'A call that one of them selects has to be allowed.' }),
        decidedBy: z.record(z.string(), z.array(z.string())).meta({
          description:
            'By member, whose policies count: `file` of the operator, `integration`, `tenant`, `connection`.',
        }),
      })
      .optional()
      .meta({ description: 'Of a connection: the result of all policies, as the platform applies them now.' }),
  })
  .meta({
    id: 'ToolPolicyState',
    description: 'The tool policy of a tenant or a connection.',
    examples: [{ version: 7, policy: { readOnly: true }, changedAt: '2026-11-15T09:30:02.000Z' }],
  })

const VersionAnswer = z
  .strictObject({
    version: z.int().meta({ description: 'Counts all changes of the deployment.' }),
    policy: Policy.optional().meta({ description: 'Absent if the policy was removed.' }),
    changedAt,
    changedBy: ChangedBy,
    reason: z.string().optional(),
    restoredVersion,
    changedMembers,
  })
  .meta({
    id: 'ToolPolicyVersion',
    description: 'A version of a tool policy. It never changes.',
    examples: [
      {
        version: 7,
        policy: { readOnly: true },
        changedAt: '2026-11-15T09:30:02.000Z',
        changedBy: { kind: 'api_key', id: 'key_06gxyqh2m6p0r4t8w1x5y9z3a7' },
        changedMembers: ['readOnly'],
      },
    ],
  })

const versionAnswer = ({ version, members, restores, ...policy }: ShownVersion) => ({
  version,
  ...changeAnswer(policy),
  ...(restores !== undefined && { restoredVersion: restores }),
  changedMembers: members,
})

const changeAnswer = ({ entry, actor: { kind, id, name }, reason, changedAt }: Change) => ({
  ...(entry && { policy: entry as z.input<typeof Policy> }),
  changedAt: changedAt.toISOString(),
  changedBy: { kind, ...(id && { id }), ...(name && { name }) },
  ...(reason !== undefined && { reason }),
})

type Change = Pick<ShownVersion, 'entry' | 'actor' | 'reason' | 'changedAt'>

const policyAnswer = ({ version, policy, effective }: ShownPolicy) => ({
  version,
  ...(policy && changeAnswer(policy)),
  ...(effective && { effective }),
})

const ofTenant = {
  path: '/tenants/{tenantId}/tool-policy',
  tag: 'Tenants',
  params: { tenantId: TenantId },
} as const

const ofConnection = {
  path: '/connections/{connectionId}/tool-policy',
  tag: 'Connections',
  params: { connectionId: Id },
} as const

const description =
  'It applies beside the policies of the operator, so it can only restrict. All processes follow within seconds.'

export const toolPolicyRoutes = [
  route({
    ...ofTenant,
    method: 'get',
    operationId: 'readTenantToolPolicy',
    client: 'tenants.getToolPolicy',
    summary: 'Get the tool policy of a tenant',
    description: 'Without the policies of the operator and of connections.',
    answers: { 200: PolicyAnswer },
    handle: async ({ ports, caller, params: { tenantId } }) => ({
      status: 200,
      body: policyAnswer(await readToolPolicy(ports, { caller, tenant: tenantId })),
    }),
  }),
  route({
    ...ofTenant,
    method: 'put',
    operationId: 'putTenantToolPolicy',
    client: 'tenants.putToolPolicy',
    summary: 'Create or replace the tool policy of a tenant',
    description: `For all its connections. ${description}`,
    body: PutBody,
    answers: { 204: undefined },
    failures: ['key_limited', 'tenant_suspended', 'tenant_deleted', 'settings_changed'],
    handle: async ({ ports, caller, actor, params: { tenantId: tenant }, body }) => {
      await changeToolPolicy(ports, { caller, actor, tenant, ...body })
      return { status: 204 }
    },
  }),
  route({
    ...ofTenant,
    method: 'delete',
    operationId: 'deleteTenantToolPolicy',
    client: 'tenants.deleteToolPolicy',
    summary: 'Delete the tool policy of a tenant',
    description: 'The policies of the operator and of connections stay.',
    query: RemoveQuery,
    answers: { 204: undefined },
    failures: ['key_limited', 'tenant_suspended', 'tenant_deleted', 'settings_changed'],
    handle: async ({ ports, caller, actor, params: { tenantId: tenant }, query }) => {
      await changeToolPolicy(ports, { caller, actor, tenant, ...query, policy: undefined })
      return { status: 204 }
    },
  }),
  route({
    ...ofTenant,
    method: 'get',
    path: `${ofTenant.path}/versions`,
    operationId: 'listTenantToolPolicyVersions',
    client: 'tenants.listToolPolicyVersions',
    summary: 'List the versions of the tool policy of a tenant',
    description: 'Newest first: who changed what, when and why.',
    query: VersionsQuery,
    answers: { 200: listOf(VersionAnswer) },
    handle: async ({ ports, caller, params: { tenantId: tenant }, query }) => {
      const page = await listToolPolicyVersions(ports, { owner: { caller, tenant }, ...query })
      return { status: 200, body: listAnswer(page, versionAnswer) }
    },
  }),
  route({
    ...ofTenant,
    method: 'post',
    path: `${ofTenant.path}/rollback`,
    operationId: 'rollBackTenantToolPolicy',
    client: 'tenants.rollBackToolPolicy',
    summary: 'Roll back the tool policy of a tenant',
    description: 'Repeats an earlier version as a new one. All processes follow within seconds.',
    body: RollbackBody,
    answers: { 204: undefined },
    failures: ['not_found', 'key_limited', 'tenant_suspended', 'tenant_deleted', 'settings_changed'],
    handle: async ({ ports, caller, actor, params: { tenantId: tenant }, body: { version: to, ...change } }) => {
      await rollBackToolPolicy(ports, { caller, actor, tenant, to, ...change })
      return { status: 204 }
    },
  }),
  route({
    ...ofConnection,
    method: 'get',
    operationId: 'readConnectionToolPolicy',
    client: 'connections.getToolPolicy',
    summary: 'Get the tool policy of a connection',
    description: 'With the result of all policies, and whose rules count.',
    answers: { 200: PolicyAnswer },
    failures: ['platform_unavailable'],
    handle: async ({ ports, caller, params: { connectionId } }) => ({
      status: 200,
      body: policyAnswer(await readToolPolicy(ports, { caller, connection: connectionId })),
    }),
  }),
  route({
    ...ofConnection,
    method: 'put',
    operationId: 'putConnectionToolPolicy',
    client: 'connections.putToolPolicy',
    summary: 'Create or replace the tool policy of a connection',
    description,
    body: PutBody,
    answers: { 204: undefined },
    failures: ['settings_changed'],
    handle: async ({ ports, caller, actor, params: { connectionId: connection }, body }) => {
      await changeToolPolicy(ports, { caller, actor, connection, ...body })
      return { status: 204 }
    },
  }),
  route({
    ...ofConnection,
    method: 'delete',
    operationId: 'deleteConnectionToolPolicy',
    client: 'connections.deleteToolPolicy',
    summary: 'Delete the tool policy of a connection',
    description: 'The policies of the operator and of the tenant stay.',
    query: RemoveQuery,
    answers: { 204: undefined },
    failures: ['settings_changed'],
    handle: async ({ ports, caller, actor, params: { connectionId: connection }, query }) => {
      await changeToolPolicy(ports, { caller, actor, connection, ...query, policy: undefined })
      return { status: 204 }
    },
  }),
  route({
    ...ofConnection,
    method: 'get',
    path: `${ofConnection.path}/versions`,
    operationId: 'listConnectionToolPolicyVersions',
    client: 'connections.listToolPolicyVersions',
    summary: 'List the versions of the tool policy of a connection',
    description: 'Newest first: who changed what, when and why.',
    query: VersionsQuery,
    answers: { 200: listOf(VersionAnswer) },
    handle: async ({ ports, caller, params: { connectionId: connection }, query }) => {
      const page = await listToolPolicyVersions(ports, { owner: { caller, connection }, ...query })
      return { status: 200, body: listAnswer(page, versionAnswer) }
    },
  }),
  route({
    ...ofConnection,
    method: 'post',
    path: `${ofConnection.path}/rollback`,
    operationId: 'rollBackConnectionToolPolicy',
    client: 'connections.rollBackToolPolicy',
    summary: 'Roll back the tool policy of a connection',
    description: 'Repeats an earlier version as a new one. All processes follow within seconds.',
    body: RollbackBody,
    answers: { 204: undefined },
    failures: ['not_found', 'settings_changed'],
    handle: async ({
      ports,
      caller,
      actor,
      params: { connectionId: connection },
      body: { version: to, ...change },
    }) => {
      await rollBackToolPolicy(ports, { caller, actor, connection, to, ...change })
      return { status: 204 }
    },
  }),
]
