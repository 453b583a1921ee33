// What tools may be called with. Both programs validate it, and the platform applies it.
import { z } from 'zod'
import { WorkspaceName } from '../headers.ts'
import { ResourceName } from '../resource.ts'
import { IntegrationId } from './product.ts'

export const approvalSelections = ['destructive', 'writing', 'all'] as const

const Names = z.array(z.string().min(1).max(256)).max(500)

export const nameableMethods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const Method = z.enum(nameableMethods)

export const ApprovalRule = z
  .strictObject({
    calls: z.enum(approvalSelections).optional().meta({ description: 'Calls that may destroy, that write, or all.' }),
    tools: Names.optional().meta({ description: 'Names of tools.' }),
    methods: z.array(Method).optional().meta({ description: 'Methods of HTTP requests.' }),
    approvers: z
      .strictObject({
        members: Names.optional().meta({ description: 'Email addresses of members of the workspace.' }),
        endUsers: Names.optional().meta({ description: 'End users, by the ID that the tenant knows them by.' }),
      })
      .optional()
      .meta({
        description:
          'Who may allow the call. If several policies select the call and name approvers, only people whom all of them name. If none names approvers, the person whose login made the call, or the owner of the connection.',
      }),
  })
  .refine(({ calls, tools, methods }) => (calls ?? tools ?? methods) !== undefined, 'must have calls, tools or methods')
export type ApprovalRule = z.infer<typeof ApprovalRule>

/** Tools of vendors' MCP servers have longer names than tools of profiles. */
const ToolName = z.string().min(1).max(256)
const ToolNames = z.array(ToolName).max(500)

const PathPattern = z
  .string()
  .max(1_000)
  .regex(/^\/[^*]*\*?$/, 'must begin with / and may end with *')

const policyShape = {
  allow: ToolNames.optional().meta({ description: 'Only these tools. A tool must be in the lists of all policies.' }),
  deny: ToolNames.optional().meta({ description: 'Not these tools.' }),
  readOnly: z.boolean().optional().meta({
    description: 'Only tools that change nothing. The tool for other requests may only GET.',
  }),
  relay: z
    .strictObject({
      methods: z.array(Method).min(1).optional().meta({ description: 'Allowed methods.' }),
      paths: z.array(PathPattern).min(1).max(500).optional().meta({ description: 'Allowed paths. May end with `*`.' }),
    })
    .optional()
    .meta({ description: 'What the HTTP relay allows.' }),
  accessTokens: z.boolean().optional().meta({
    description:
      'Whether tenants may get access tokens. One policy must allow it, and none may forbid it or require approvals.',
  }),
  perMinute: z.record(ToolName, z.int().min(1)).optional().meta({
    description: 'Calls per minute of one tool of one function. `*` applies to tools without their own limit.',
  }),
  approval: ApprovalRule.optional().meta({ description: 'Calls that a person has to allow.' }),
}

/** A client ID may be the address of a metadata document. */
const ClientId = z.string().min(1).max(2_000)

/**
 * Applies to the named integration, workspace and connection; without any, to all functions. With `client`, only to calls
 * by logins of this MCP client.
 */
export const ToolRule = z.strictObject({
  integration: IntegrationId.optional(),
  workspace: WorkspaceName.optional(),
  connection: ResourceName.optional(),
  client: ClientId.optional(),
  ...policyShape,
})
export type ToolRule = z.infer<typeof ToolRule>

/** `toolPolicy` of an integration: for all its functions. */
export const IntegrationPolicy = z.strictObject(policyShape)
export type IntegrationPolicy = z.infer<typeof IntegrationPolicy>

/** Of a tenant, connection or login. It can only restrict. */
export const NarrowPolicy = z.strictObject({
  ...policyShape,
  accessTokens: z.literal(false).optional().meta({ description: 'No access tokens.' }),
})
export type NarrowPolicy = z.infer<typeof NarrowPolicy>

/** From wide to narrow. */
export const policyLevels = ['file', 'integration', 'tenant', 'connection', 'login'] as const
export type PolicyLevel = (typeof policyLevels)[number]

export const ToolPolicyFile = z.strictObject({ rules: z.array(ToolRule).max(10_000) })

/** The result of all rules that apply to a connection. */
export const EffectivePolicy = z.strictObject({
  /** Absent: every tool. */
  allow: ToolNames.optional(),
  deny: ToolNames,
  readOnly: z.boolean(),
  /** A request of the relay must fit all of them. */
  relay: z.array(z.strictObject({ methods: z.array(z.string()).optional(), paths: z.array(z.string()).optional() })),
  accessTokens: z.boolean(),
  perMinute: z.record(z.string(), z.int()),
  /** A call that one of them selects has to be allowed. */
  approval: z.array(ApprovalRule),
  /** By member: the levels with a rule that counts. */
  decidedBy: z.record(z.string(), z.array(z.enum(policyLevels))),
})
export type EffectivePolicy = z.infer<typeof EffectivePolicy>
