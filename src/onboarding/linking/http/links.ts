import { z } from 'zod'
import { within } from '../../../kit/process/background-work.ts'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
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
import type { Ports } from '../../domain/ports/ports.ts'
import type { LinkInProgress } from '../../domain/settings.ts'
import { type Answering, route } from '../../http/route.ts'
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
import { namesOnce, UserWordsAnswer, type UserWordsNeeds, wordsForUser } from '../../http/user-words.ts'
import { resumeByCause } from '../../provisioning/flows/stalled-links/resume-by-cause.ts'
import { resumeLink } from '../../provisioning/flows/stalled-links/resume-link.ts'
import { listLinks, readLink, readNames } from '../flows/read-links.ts'

const LinkStatus = z.enum(linkStatuses).meta({
  id: 'LinkStatus',
  description:
    '`pending` continues automatically, unless the link has `waitingFor`. `needs_attention` waits for the deployment’s support team. All other statuses are final.',
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
    purpose: z.enum(purposes).meta({ description: '`relink`: a new grant for an existing connection.' }),
    connectSessionId: z.string(),
    importId: z.string().optional().meta({ description: 'The import that the grant came from.' }),
    tenantId: z.string(),
    testMode,
    integrationId: z.string(),
    endUser: EndUser,
    connectionId: z
      .string()
      .optional()
      .meta({ description: 'The connection being re-linked or, once `linked`, the connection that was created.' }),
    status: LinkStatus,
    waitingFor: z.enum(awaited).optional().meta({
      description:
        'Present while a `pending` link waits for an action. `consent`: the user is at the provider, or on the way there. `completion`: the user has consented, and your server must complete the connect session within about two minutes.',
    }),
    step: LinkStep.meta({ description: 'The current step. For an ended link, the last step reached.' }),
    progress: z
      .array(z.strictObject({ step: LinkStep, status: z.enum(['done', 'current', 'waiting', 'failed']) }))
      .meta({ description: 'Every step, in order.' }),
    cause: CauseAnswer.optional(),
    causeForUser: UserWordsAnswer.optional().meta({
      description: 'The cause in words for the end user, in the `locale` of the connect session or in English.',
    }),
    attempts: z.int().meta({ description: 'How often `step` has failed. `cause` is the last error.' }),
    nextAttemptAt: time.optional().meta({
      description: 'When the step is retried. Absent during an attempt and after the link has ended.',
    }),
    missingScopes: z.array(z.string()).optional().meta({ description: 'Permissions the user did not grant.' }),
    continueUrl: z
      .url()
      .optional()
      .meta({ description: 'Present when the user must consent again. Redirect the same browser to it.' }),
    connection: z
      .strictObject({
        id: z.string(),
        name: z.string().meta({ description: 'Its name on the platform.' }),
        workspace: z.string(),
        functionName: z.string(),
        functionUrl: z.string().meta({ description: 'Append `/mcp` for the URL of the MCP server.' }),
        upstreamAccount: UpstreamAccount.optional(),
      })
      .optional()
      .meta({ description: 'Present when `linked`.' }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({
    id: 'Link',
    description: 'One attempt to obtain a grant and set up its function, from consent to verification.',
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
    purpose: purposeOf(link.kind === 'relink'),
    connectSessionId: link.sessionId,
    ...(link.importId && { importId: link.importId }),
    tenantId: link.tenant,
    ...testModeOf(link.tenant),
    integrationId: link.integration,
    endUser: endUserAnswer(link.endUser),
    ...((link.kind === 'relink' || isLinked) && { connectionId: link.connectionId }),
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

export const describeLink = async (
  { ports, settings, languages }: Answering,
  link: Link,
  names: UserWordsNeeds['readNames'] = (of) => readNames(ports, of),
): Promise<z.input<typeof LinkAnswer>> => ({
  ...linkAnswer(link, settings.publicUrl),
  ...(await wordsForUser({ readNames: names, languages }, link, link.endUser.locale)),
})

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
  description: 'Which links to resume, and why.',
  examples: [{ causeCode: 'platform_refused', reason: 'The workspace was created, ticket 4711' }],
})

const ResumedLinksAnswer = z
  .strictObject({
    resumed: z.int().meta({ description: 'How many links were resumed.' }),
    skipped: z
      .int()
      .meta({ description: 'Links that were already resumed, or whose connection has been linked again since.' }),
    hasMore: z.boolean().meta({ description: 'More links need attention for this cause.' }),
  })
  .meta({
    id: 'LinkResumption',
    description: 'The result of a resumption.',
    examples: [{ resumed: 42, skipped: 0, hasMore: false }],
  })

const inlineMs = 8_000

/** Waits a few seconds for the outcome. Another worker may have taken over the link, so the ledger is asked then. */
export const outcomeOf = async ({ links }: Pick<Ports, 'links'>, { link, done }: LinkInProgress): Promise<Link> =>
  (await within(done, inlineMs)) ?? (await links.find(link.id).catch(ignoreError('the link is still pending'))) ?? link

const tag = 'Links'

export const linkRoutes = [
  route({
    method: 'get',
    path: '/links',
    operationId: 'listLinks',
    client: 'links.list',
    summary: 'List links',
    description: 'Newest first. A tenant key sees only its own links.',
    tag,
    query: LinkListQuery,
    answers: { 200: listOf(LinkAnswer) },
    handle: async ({ caller, query: { tenantId, status, causeCode, cursor, limit }, ...answering }) => {
      const { ports } = answering
      const page = await listLinks(ports, { caller, tenant: tenantId, status, cause: causeCode, cursor, limit })
      const names = namesOnce((of) => readNames(ports, of))
      const data = await Promise.all(page.data.map((link) => describeLink(answering, link, names)))
      return { status: 200, body: listAnswer({ ...page, data }, (answer) => answer) }
    },
  }),
  route({
    method: 'get',
    path: '/links/{linkId}',
    operationId: 'getLink',
    client: 'links.get',
    summary: 'Get a link',
    description: 'Poll every few seconds while a user waits, and every minute afterwards.',
    tag,
    params: { linkId: Id },
    answers: { 200: LinkAnswer },
    handle: async ({ caller, params: { linkId }, ...answering }) => {
      const link = await readLink(answering.ports, { caller, id: linkId })
      return { status: 200, body: await describeLink(answering, link) }
    },
  }),
  route({
    method: 'post',
    path: '/links/{linkId}/resume',
    operationId: 'resumeLink',
    client: 'links.resume',
    clientNote: 'Resumes a link with the status `needs_attention`, after its cause was fixed.',
    summary: 'Resume a link',
    description:
      'Continues a link that needs attention at the step where it stopped, after its cause was fixed. A link that waits for its next attempt is retried immediately. The request waits a few seconds for the outcome.',
    tag,
    params: { linkId: Id },
    body: MaybeReasonBody,
    answers: { 200: LinkAnswer },
    failures: ['link_not_resumable', 'integration_unavailable'],
    handle: async ({ caller, actor, params: { linkId }, body: { reason }, ...answering }) => {
      const { ports, settings } = answering
      const resumed = await resumeLink(ports, settings, { caller, actor, id: linkId, reason })
      return { status: 200, body: await describeLink(answering, await outcomeOf(ports, resumed)) }
    },
  }),
  route({
    method: 'post',
    path: '/link-resumptions',
    operationId: 'createLinkResumption',
    client: 'links.resumeByCause',
    clientNote: 'Resumes all links that need attention for one cause. Requires a deployment key.',
    summary: 'Resume links by cause',
    description:
      'Resumes all links that need attention for this cause, after it was fixed. At most 500 per request: if `hasMore` is true, send the request again. Workers process the links in turn; read the links for the outcome. Requires a deployment key.',
    tag,
    body: ResumeLinksBody,
    answers: { 200: ResumedLinksAnswer },
    failures: ['key_limited', 'not_found'],
    handle: async ({ ports, caller, actor, body: { causeCode: cause, tenantId: tenant, reason } }) => {
      return { status: 200, body: await resumeByCause(ports, { caller, actor, cause, tenant, reason }) }
    },
  }),
]
