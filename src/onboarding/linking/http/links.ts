import { z } from 'zod'
import { within } from '../../../kit/process/background-work.ts'
import { explain } from '../../domain/cause.ts'
import { purposeOf, purposes } from '../../domain/connect-session.ts'
import {
  awaited,
  awaitedBy,
  type Link,
  linkStatuses,
  linkSteps,
  needsConsentAgain,
  progressOf,
  statusOf,
} from '../../domain/link.ts'
import { route } from '../../http/route.ts'
import {
  after,
  CauseAnswer,
  causeCode,
  EndUser,
  endUserAnswer,
  Id,
  limit,
  listAnswer,
  listOf,
  MaybeReasonBody,
  reason,
  TenantId,
  testMode,
  testModeOf,
  time,
  UpstreamAccount,
} from '../../http/schemas.ts'
import { UserWordsAnswer, type UserWordsNeeds, withNamesOnce, wordsForUser } from '../../http/user-words.ts'
import type { ProvisioningFlows } from '../../provisioning/flows/provisioning-flows.ts'
import type { LinkingFlows } from '../flows/linking-flows.ts'

const LinkStatus = z.enum(linkStatuses).meta({
  id: 'LinkStatus',
  description:
    '`pending` continues without you, unless `waitingFor` of the link says otherwise. `needs_attention` waits for the deployment’s support team. The others are final.',
})

const LinkListQuery = z.strictObject({
  tenantId: TenantId.optional(),
  status: LinkStatus.optional(),
  causeCode: causeCode.optional(),
  cursor: after(/^lnk_[\w-]{1,100}$/),
  limit,
})

const LinkStep = z.enum(linkSteps).meta({ id: 'LinkStep', description: 'A step of a link.' })

export const LinkAnswer = z
  .strictObject({
    id: z.string(),
    purpose: z.enum(purposes).meta({ description: '`relink`: it gets a new grant for a connection that exists.' }),
    connectSessionId: z.string(),
    importId: z.string().optional().meta({ description: 'The import that its grant came with.' }),
    tenantId: z.string(),
    testMode,
    integrationId: z.string(),
    endUser: EndUser,
    connectionId: z
      .string()
      .optional()
      .meta({ description: 'The connection it re-links, or the one it has created once it is `linked`.' }),
    status: LinkStatus,
    waitingFor: z.enum(awaited).optional().meta({
      description:
        'Present while it is `pending` and cannot go on by itself. `consent`: the user is at the provider, or on the way there. `completion`: the user has consented, and your server has to complete the connect session within about two minutes.',
    }),
    step: LinkStep.meta({ description: 'The step it is at; of an ended link, the last one it reached.' }),
    progress: z
      .array(z.strictObject({ step: LinkStep, status: z.enum(['done', 'current', 'waiting', 'failed']) }))
      .meta({ description: 'Every step, in order.' }),
    cause: CauseAnswer.optional(),
    causeForUser: UserWordsAnswer.optional().meta({
      description:
        'The cause in words that you can show to its end user, in the `locale` of the connect session, or else in English.',
    }),
    attempts: z.int().meta({ description: 'How often `step` has failed so far; `cause` is its last error.' }),
    nextAttemptAt: time.optional().meta({
      description: 'When the step is retried. Absent while it is being tried, and when the link has ended.',
    }),
    missingScopes: z.array(z.string()).optional().meta({ description: 'Permissions the user did not grant.' }),
    continueUrl: z
      .url()
      .optional()
      .meta({ description: 'Present when the user must be asked for consent again: send the same browser there.' }),
    connection: z
      .strictObject({
        id: z.string(),
        name: z.string().meta({ description: 'Its name on the platform.' }),
        workspace: z.string(),
        functionName: z.string(),
        functionUrl: z.string().meta({ description: 'With `/mcp` behind it, the address of the MCP server.' }),
        upstreamAccount: UpstreamAccount.optional(),
      })
      .optional()
      .meta({ description: 'Present when it is `linked`.' }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({
    id: 'Link',
    description: 'One attempt to get a grant and put it to work, from consent to a working function.',
    examples: [
      {
        id: 'lnk_06gxytktsx4pfczwby539m3g5r',
        purpose: 'link',
        connectSessionId: 'ses_06gxytkrc2v8t1n5m0q7d9hj4w',
        tenantId: 'acme',
        integrationId: 'gmail',
        endUser: { id: 'user-42', email: 'user@acme.example' },
        connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
        status: 'linked',
        step: 'verification',
        progress: linkSteps.map((step) => ({ step, status: 'done' })),
        attempts: 0,
        connection: {
          id: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
          name: 'gmail-k3v9x2m7qa',
          workspace: 'acme',
          functionName: 'gmail-k3v9x2m7qa',
          functionUrl: 'https://run.platform.example/acme/functions/gmail-k3v9x2m7qa',
          upstreamAccount: { id: '108432', label: 'user@gmail.example' },
        },
        createdAt: '2026-11-15T03:25:40.000Z',
        updatedAt: '2026-11-15T03:25:45.000Z',
      },
    ],
  })

export function linkAnswer(link: Link, publicUrl: string): z.input<typeof LinkAnswer> {
  const isLinked = link.state === 'linked'
  const waitingFor = awaitedBy(link)
  return {
    id: link.id,
    purpose: purposeOf(link.relink),
    connectSessionId: link.sessionId,
    ...(link.importId && { importId: link.importId }),
    tenantId: link.tenant,
    ...testModeOf(link.tenant),
    integrationId: link.integration,
    endUser: endUserAnswer(link.endUser),
    ...((link.relink || isLinked) && { connectionId: link.connectionId }),
    status: statusOf(link.state),
    ...(waitingFor && { waitingFor }),
    ...positionOf(link),
    ...(link.cause && { cause: explain(link.cause) }),
    attempts: link.attempts,
    ...(link.nextAttemptAt && { nextAttemptAt: link.nextAttemptAt.toISOString() }),
    ...(link.missingScopes.length > 0 && { missingScopes: link.missingScopes }),
    ...(needsConsentAgain(link) && { continueUrl: `${publicUrl}/links/${link.id}/consent` }),
    ...(isLinked && { connection: linkedConnection(link) }),
    createdAt: link.createdAt.toISOString(),
    updatedAt: link.updatedAt.toISOString(),
  }
}

export type ToldLinkNeeds = UserWordsNeeds & { publicUrl: string }

/** With its cause as its end user would be told of it. */
export const toldLink =
  ({ publicUrl, ...needs }: ToldLinkNeeds) =>
  async (link: Link): Promise<z.input<typeof LinkAnswer>> => ({
    ...linkAnswer(link, publicUrl),
    ...(await wordsForUser(needs, link, link.endUser.locale)),
  })

/** Inner states stay inside: a caller is told which step it is at, and how far every step has come. */
function positionOf(link: Link) {
  const progress = progressOf(link).map(({ step, progress: status }) => ({ step, status }))
  const at = progress.find(({ status }) => status === 'current' || status === 'failed')
  return { step: at?.step ?? 'verification', progress }
}

const linkedConnection = (link: Link) => ({
  id: link.connectionId,
  name: link.connectionName,
  workspace: link.workspace,
  functionName: link.functionName,
  functionUrl: link.functionUrl ?? '',
  ...(link.account && { upstreamAccount: link.account }),
})

const ResumeLinksBody = z.strictObject({ causeCode, tenantId: TenantId.optional(), reason }).meta({
  id: 'LinkResumptionRequest',
  description: 'Which links continue, and why they can.',
  examples: [{ causeCode: 'platform_refused', reason: 'The workspace was created, ticket 4711' }],
})

const ResumedLinksAnswer = z
  .strictObject({
    resumed: z.int().meta({ description: 'How many links continue now.' }),
    skipped: z
      .int()
      .meta({ description: 'Already resumed in the meantime, or for a connection that was linked again since.' }),
    hasMore: z.boolean().meta({ description: 'More links need attention for this cause.' }),
  })
  .meta({
    id: 'LinkResumption',
    description: 'What became of the links.',
    examples: [{ resumed: 42, skipped: 0, hasMore: false }],
  })

export type LinkApi = {
  flows: Pick<LinkingFlows & ProvisioningFlows, 'readLink' | 'listLinks' | 'resumeLink' | 'resumeByCause'>
} & ToldLinkNeeds

/** Whoever resumes a link waits this long to see how it continues. */
const inlineMs = 8_000

const tag = 'Links'

export const linkRoutes = ({ flows, ...others }: LinkApi) => [
  route({
    method: 'get',
    path: '/links',
    operationId: 'listLinks',
    summary: 'List links',
    description: 'Newest first. A key of a tenant sees its own links only.',
    tag,
    query: LinkListQuery,
    answers: { 200: listOf(LinkAnswer) },
    handle: async ({ caller, query: { tenantId, status, causeCode, cursor, limit } }) => {
      const page = await flows.listLinks({ caller, tenant: tenantId, status, cause: causeCode, cursor, limit })
      const data = await Promise.all(page.data.map(toldLink({ ...others, ...withNamesOnce({ flows, ...others }) })))
      return { status: 200, body: listAnswer({ ...page, data }, (answer) => answer) }
    },
  }),
  route({
    method: 'get',
    path: '/links/{linkId}',
    operationId: 'getLink',
    summary: 'Get a link',
    description: 'Poll it every few seconds while a user waits, and every minute afterwards.',
    tag,
    params: { linkId: Id },
    answers: { 200: LinkAnswer },
    handle: async ({ caller, params: { linkId } }) => {
      const link = await flows.readLink({ caller, id: linkId })
      return { status: 200, body: await toldLink({ flows, ...others })(link) }
    },
  }),
  route({
    method: 'post',
    path: '/links/{linkId}/resume',
    operationId: 'resumeLink',
    summary: 'Resume a link',
    description:
      'For a link that needs attention, once its cause was fixed: it continues at the step it stopped at. A link that waits for its next attempt is tried now. The response waits a few seconds to see how it goes.',
    tag,
    params: { linkId: Id },
    body: MaybeReasonBody,
    answers: { 200: LinkAnswer },
    failures: ['link_not_resumable', 'integration_unavailable'],
    handle: async ({ caller, actor, params: { linkId }, body: { reason } }) => {
      const { link, done } = await flows.resumeLink({ caller, actor, id: linkId, reason })
      return { status: 200, body: await toldLink({ flows, ...others })((await within(done, inlineMs)) ?? link) }
    },
  }),
  route({
    method: 'post',
    path: '/link-resumptions',
    operationId: 'createLinkResumption',
    summary: 'Resume links by cause',
    description:
      'Resumes every link that needs attention for this cause, once that was fixed. At most 500 in one request; if `hasMore` is true, send it again. Workers continue them in turn, so read the links to see how they end. Only for keys of the deployment.',
    tag,
    body: ResumeLinksBody,
    answers: { 200: ResumedLinksAnswer },
    failures: ['key_limited', 'not_found'],
    handle: async ({ caller, actor, body: { causeCode: cause, tenantId: tenant, reason } }) => {
      return { status: 200, body: await flows.resumeByCause({ caller, actor, cause, tenant, reason }) }
    },
  }),
]
