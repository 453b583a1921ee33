import { z } from 'zod'
import type { FailureCode } from '../../domain/failure.ts'
import { NarrowPolicy } from '../../domain/settings-changes/tool-policy.ts'
import { route } from '../../http/route.ts'
import { Id, listAnswer, listOf, reason, TenantId } from '../../http/schemas.ts'
import {
  changeToolPolicy,
  listToolPolicyVersions,
  type PolicySubject,
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

type Owner<P extends z.ZodRawShape> = {
  path: string
  tag: string
  params: P
  /** Part of the operation IDs. */
  name: string
  resource: 'tenants' | 'connections'
  /** Part of the names of the client's methods. */
  method: string
  words: string
  appliesTo: string
  reading: string
  failures: readonly FailureCode[]
  of(params: z.output<z.ZodObject<P>>): PolicySubject
}

const changing = ['settings_changed'] as const

function routesOf<P extends z.ZodRawShape>(owner: Owner<P>) {
  const { path, tag, params, name, resource, method: policy, words, of, failures } = owner
  const described = { path, tag, params }
  return [
    route({
      ...described,
      method: 'get',
      operationId: `read${name}ToolPolicy`,
      client: `${resource}.get${policy}`,
      summary: `Get the tool policy of ${words}`,
      description: owner.reading,
      answers: { 200: PolicyAnswer },
      failures,
      handle: async ({ ports, caller, params }) => ({
        status: 200,
        body: policyAnswer(await readToolPolicy(ports, { caller, ...of(params) })),
      }),
    }),
    route({
      ...described,
      method: 'put',
      operationId: `put${name}ToolPolicy`,
      client: `${resource}.put${policy}`,
      summary: `Create or replace the tool policy of ${words}`,
      description: `${owner.appliesTo} The policies of the operator apply as well, so this one can only restrict. All processes follow within seconds.`,
      body: PutBody,
      answers: { 204: undefined },
      failures: [...failures, ...changing],
      handle: async ({ ports, caller, actor, params, body }) => {
        await changeToolPolicy(ports, { caller, actor, ...of(params), ...body })
        return { status: 204 }
      },
    }),
    route({
      ...described,
      method: 'delete',
      operationId: `delete${name}ToolPolicy`,
      client: `${resource}.delete${policy}`,
      summary: `Delete the tool policy of ${words}`,
      description: 'Wider and narrower policies stay.',
      query: RemoveQuery,
      answers: { 204: undefined },
      failures: [...failures, ...changing],
      handle: async ({ ports, caller, actor, params, query }) => {
        await changeToolPolicy(ports, { caller, actor, ...of(params), ...query, policy: undefined })
        return { status: 204 }
      },
    }),
    route({
      ...described,
      method: 'get',
      path: `${path}/versions`,
      operationId: `list${name}ToolPolicyVersions`,
      client: `${resource}.list${policy}Versions`,
      summary: `List versions of the tool policy of ${words}`,
      description: 'Newest first: who changed what, when and why.',
      query: VersionsQuery,
      answers: { 200: listOf(VersionAnswer) },
      failures: failures.filter((code) => code === 'platform_unavailable'),
      handle: async ({ ports, caller, params, query }) => {
        const page = await listToolPolicyVersions(ports, { owner: { caller, ...of(params) }, ...query })
        return { status: 200, body: listAnswer(page, versionAnswer) }
      },
    }),
    route({
      ...described,
      method: 'post',
      path: `${path}/rollback`,
      operationId: `rollBack${name}ToolPolicy`,
      client: `${resource}.rollBack${policy}`,
      summary: `Roll back the tool policy of ${words}`,
      description: 'Repeats an earlier version as a new one. All processes follow within seconds.',
      body: RollbackBody,
      answers: { 204: undefined },
      failures: [...failures, 'not_found', ...changing],
      handle: async ({ ports, caller, actor, params, body: { version: to, ...change } }) => {
        await rollBackToolPolicy(ports, { caller, actor, ...of(params), to, ...change })
        return { status: 204 }
      },
    }),
  ]
}

export const toolPolicyRoutes = [
  ...routesOf({
    path: '/tenants/{tenantId}/tool-policy',
    tag: 'Tenants',
    params: { tenantId: TenantId },
    name: 'Tenant',
    resource: 'tenants',
    method: 'ToolPolicy',
    words: 'a tenant',
    appliesTo: 'Applies to all connections of the tenant.',
    reading: 'Returns the policy of the tenant, without those of the operator and of connections.',
    failures: ['key_limited', 'tenant_suspended', 'tenant_deleted'],
    of: ({ tenantId: tenant }) => ({ tenant }),
  }),
  ...routesOf({
    path: '/connections/{connectionId}/tool-policy',
    tag: 'Connections',
    params: { connectionId: Id },
    name: 'Connection',
    resource: 'connections',
    method: 'ToolPolicy',
    words: 'a connection',
    appliesTo: 'Applies to all calls of its function.',
    reading: 'Returns the policy of the connection, the result of all policies, and the levels that decided it.',
    failures: ['platform_unavailable'],
    of: ({ connectionId: connection }) => ({ connection }),
  }),
  ...routesOf({
    path: '/connections/{connectionId}/function-grants/{grantId}/tool-policy',
    tag: 'Connections',
    params: { connectionId: Id, grantId: Id.meta({ description: 'The `id` of the function grant.' }) },
    name: 'Login',
    resource: 'connections',
    method: 'LoginToolPolicy',
    words: 'a login',
    appliesTo: 'Applies to calls by logins of this MCP client, including its later logins.',
    reading: 'Returns the policy for the MCP client of a function grant, without the other policies.',
    failures: ['connection_disconnected', 'platform_unavailable'],
    of: ({ connectionId: connection, grantId: grant }) => ({ connection, grant }),
  }),
]
