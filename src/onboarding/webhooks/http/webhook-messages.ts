import { z } from 'zod'
import { approvalOutcomes } from '../../domain/approval.ts'
import { explain } from '../../domain/cause.ts'
import { purposes } from '../../domain/connect-session.ts'
import { revocations } from '../../domain/connection-task.ts'
import { type TenantEventName, tenantEventNames } from '../../domain/tenant-event.ts'
import { AuditRecordAnswer, exampleRecord } from '../../http/audit-record.ts'
import { namesAnswer } from '../../http/connection-names.ts'
import type { MessageDescription } from '../../http/openapi/openapi-messages.ts'
import { CauseAnswer, EndUser, testMode, time } from '../../http/schemas.ts'

const tenantId = z.string()

const aboutConnection = {
  tenantId,
  testMode,
  connectionId: z.string(),
  integrationId: z.string(),
  endUser: EndUser.meta({
    description: 'Messages only contain the ID, not the name or email address.',
  }),
  ...namesAnswer,
}

const { connectionId, alias: _alias, labels: _labels, ...aboutUser } = aboutConnection

const aboutLink = {
  ...aboutUser,
  linkId: z.string(),
  purpose: z.enum(purposes).meta({ description: '`relink`: the link replaced the grant of an existing connection.' }),
  connectSessionId: z.string(),
}

const exampleConnection = {
  tenantId: 'acme',
  connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
  integrationId: 'gmail',
  endUser: { id: 'user-42' },
}

const exampleLink = {
  ...exampleConnection,
  linkId: 'lnk_06gxytktsx4pfczwby539m3g5r',
  purpose: 'link',
  connectSessionId: 'ses_06gxytkrc2v8t1n5m0q7d9hj4w',
}

const aboutApproval = {
  approvalId: z.string().meta({ description: 'The `id` in the list of approvals of the connection.' }),
  tool: z.string().meta({ description: 'The name of the tool, or `relay` and the method. Arguments are not sent.' }),
}

const exampleApproval = { approvalId: 'hJ0YkzS1q8mVbW3cR5tXpA', tool: 'send_message' }

const { connectionId: _none, ...exampleFailedLink } = exampleLink

const payloads: Record<TenantEventName, { summary: string; description: string; data: z.ZodType; example: object }> = {
  'link.succeeded': {
    summary: 'A link succeeded',
    description: 'An account was linked, and its function works.',
    data: z.strictObject({ ...aboutLink, connectionId, ...namesAnswer }),
    example: exampleLink,
  },
  'link.failed': {
    summary: 'A link failed',
    description: 'A link ended `failed`, `denied`, `cancelled` or `abandoned`.',
    data: z.strictObject({
      ...aboutLink,
      connectionId: connectionId
        .optional()
        .meta({ description: 'The connection that was re-linked, for purpose `relink`.' }),
      cause: CauseAnswer,
    }),
    example: { ...exampleFailedLink, cause: explain('consent_denied') },
  },
  'connection.relinked': {
    summary: 'A connection was re-linked',
    description: 'A connection has a new grant and works.',
    data: z.strictObject({ ...aboutLink, connectionId, ...namesAnswer }),
    example: { ...exampleLink, purpose: 'relink' },
  },
  'connection.needs_relink': {
    summary: 'A connection needs a re-link',
    description: 'The grant no longer works. Ask the user to reconnect: see Create a re-link session.',
    data: z.strictObject({ ...aboutConnection, cause: CauseAnswer }),
    example: { ...exampleConnection, cause: explain('grant_revoked') },
  },
  'connection.health_unknown': {
    summary: 'The health of a connection is unknown',
    description: 'Health checks were inconclusive for a day or three times in a row. The connection may still work.',
    data: z.strictObject({
      ...aboutConnection,
      since: time.meta({ description: 'The first inconclusive check.' }),
      cause: CauseAnswer,
    }),
    example: { ...exampleConnection, since: '2026-11-14T11:00:00.000Z', cause: explain('provider_unavailable') },
  },
  'connection.grant_ends_soon': {
    summary: 'The grant of a connection ends soon',
    description:
      'The provider ends grants at a max age, even if they are used, and this grant will soon reach it. Sent once per grant. Ask the user to reconnect before then: see Create a re-link session.',
    data: z.strictObject({
      ...aboutConnection,
      endsAt: time.meta({ description: 'When the provider ends the grant.' }),
    }),
    example: { ...exampleConnection, endsAt: '2026-11-29T11:00:00.000Z' },
  },
  'connection.tools_changed': {
    summary: 'The tools of a connection have changed',
    description:
      'The vendor’s MCP server behind the connection has changed its tools. While the change is held, agents see the approved tools. Read the tool list and approve the change.',
    data: z.strictObject({
      ...aboutConnection,
      held: z
        .boolean()
        .meta({ description: 'Whether the change waits for approval. If false, agents already see it.' }),
      added: z
        .int()
        .optional()
        .meta({ description: 'The number of new tools. Only present while the change is held.' }),
      removed: z
        .int()
        .optional()
        .meta({ description: 'The number of removed tools. Only present while the change is held.' }),
      changed: z
        .int()
        .optional()
        .meta({ description: 'The number of changed tools. Only present while the change is held.' }),
    }),
    example: { ...exampleConnection, integrationId: 'linear-mcp', held: true, added: 1, removed: 0, changed: 2 },
  },
  'connection.approval_requested': {
    summary: 'A tool call waits for a person',
    description:
      'The operator’s policy requires an approval for a call of the connection’s function. The people who may decide open `url`. It grants nothing, so you can send it to them.',
    data: z.strictObject({
      ...aboutConnection,
      ...aboutApproval,
      url: z.url().meta({ description: 'The page on which the call is shown and decided.' }),
      expiresAt: time.meta({ description: 'When the question ends.' }),
    }),
    example: {
      ...exampleConnection,
      ...exampleApproval,
      url: 'https://auth.platform.example/oauth/approval/hJ0YkzS1q8mVbW3cR5tXpA',
      expiresAt: '2026-11-15T12:00:00.000Z',
    },
  },
  'connection.approval_decided': {
    summary: 'A tool call was decided on',
    description: 'A person allowed or declined a call, or nobody decided in time.',
    data: z.strictObject({
      ...aboutConnection,
      ...aboutApproval,
      outcome: z.enum(approvalOutcomes).meta({
        description:
          '`once`: this call was allowed. `hour`: calls of the tool are allowed for an hour. `decline`: the call was declined. `expired`: nobody decided.',
      }),
    }),
    example: { ...exampleConnection, ...exampleApproval, outcome: 'once' },
  },
  'connection.disconnected': {
    summary: 'A connection was disconnected',
    description:
      'The function and the stored grant were deleted. Unless `revocation` is `revoked` or `shared`, the app still lists the access, and the user can remove it in their account there.',
    data: z.strictObject({
      ...aboutConnection,
      revocation: z
        .enum(revocations)
        .optional()
        .meta({ description: 'The result of revoking the grant at the provider, as in the disconnect task.' }),
    }),
    example: { ...exampleConnection, revocation: 'revoked' },
  },
  'end_user.erased': {
    summary: 'An end user was erased',
    description: 'No data here names the user any more, including this message. For the receipt, read the erasure.',
    data: z.strictObject({
      tenantId,
      testMode,
      erasureId: z.string().meta({ description: 'The erasure ID returned by `POST /erasures`.' }),
    }),
    example: { tenantId: 'acme', erasureId: 'ers_06gxz1d5p9w3n7r2s6v0x4y8z1' },
  },
  'tenant.deleted': {
    summary: 'A tenant was deleted',
    description: 'The tenant and all of its data were deleted. This is the last event that its endpoints receive.',
    data: z.strictObject({ tenantId, testMode }),
    example: { tenantId: 'acme' },
  },
  'audit.recorded': {
    summary: 'Audit records were sealed',
    description:
      'A batch of the tenant’s audit chain, as in List audit records. Only for endpoints that name this event. Batches may arrive out of order: `first` of the next one is `last` plus one.',
    data: z.strictObject({
      tenantId,
      testMode,
      first: z.int().meta({ description: 'The position of the first record.' }),
      last: z.int().meta({ description: 'The position of the last record.' }),
      records: z.array(AuditRecordAnswer).meta({
        description: 'The records as of now, oldest first. Some are missing if they have been deleted since.',
      }),
      head: z.string().optional().meta({
        description: 'The signed head of the chain at a position of the batch, as a JWS. Keep it.',
      }),
    }),
    example: { tenantId: 'acme', first: 17, last: 17, records: [exampleRecord] },
  },
}

export const webhookMessages: MessageDescription[] = tenantEventNames.map((type) => {
  const { summary, description, data, example } = payloads[type]
  const timestamp = time.meta({ description: 'When the event happened.' })
  const body = z.strictObject({ type: z.literal(type), timestamp, data }).meta({
    id: `${schemaName(type)}Event`,
    description,
    examples: [{ type, timestamp: '2026-11-15T11:00:00.000Z', data: example }],
  })
  return { type, summary, description, body }
})

/** `connection.needs_relink` becomes `ConnectionNeedsRelink`. */
function schemaName(type: TenantEventName): string {
  return type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
