import { z } from 'zod'
import { within } from '../../../kit/process/background-work.ts'
import { causeCodes, explain } from '../../domain/cause.ts'
import { type Link, linkStates, linkSteps, needsConsentAgain, progressOf, statusOf } from '../../domain/link.ts'
import { route } from '../../http/route.ts'
import {
  after,
  CauseAnswer,
  EndUser,
  Id,
  limit,
  MaybeReasonBody,
  pageAnswer,
  pageOf,
  TenantId,
  time,
  UpstreamAccount,
} from '../../http/schemas.ts'
import type { ProvisioningFlows } from '../../provisioning/flows/provisioning-flows.ts'
import type { LinkingFlows } from '../flows/linking-flows.ts'

export const LinkListQuery = z.strictObject({
  tenant: TenantId.optional(),
  state: z.enum(linkStates).optional(),
  cause: z.enum(causeCodes).optional(),
  cursor: after(/^lnk_[\w-]{1,100}$/),
  limit,
})

export const LinkAnswer = z.strictObject({
  id: z.string(),
  connectSession: z.string(),
  tenant: z.string(),
  integration: z.string(),
  endUser: EndUser,
  relinks: z.string().optional().meta({ description: 'The connection that this link mends.' }),
  state: z.enum(linkStates),
  status: z.enum(['pending', 'linked', 'denied', 'abandoned', 'failed', 'needs_attention']),
  steps: z.array(
    z.strictObject({ step: z.enum(linkSteps), progress: z.enum(['done', 'current', 'waiting', 'failed']) }),
  ),
  cause: CauseAnswer.optional(),
  attempts: z.int().meta({ description: 'How often the step it is at was tried in vain; `cause` is the last error.' }),
  nextTryAt: time.optional().meta({
    description: 'When that step is tried again by itself. Absent while it is being tried, and when it is over.',
  }),
  missingScopes: z.array(z.string()).optional(),
  continueUrl: z
    .url()
    .optional()
    .meta({ description: 'Present when the user must be asked for consent once more: send the same browser there.' }),
  connection: z
    .strictObject({
      id: z.string(),
      name: z.string(),
      workspace: z.string(),
      functionName: z.string(),
      functionUrl: z.string(),
      upstreamAccount: UpstreamAccount.optional(),
    })
    .optional(),
  createdAt: time,
  updatedAt: time,
})

export const linkAnswer = (link: Link, publicUrl: string): z.input<typeof LinkAnswer> => ({
  id: link.id,
  connectSession: link.sessionId,
  tenant: link.tenant,
  integration: link.integration,
  endUser: link.endUser,
  ...(link.relink && { relinks: link.connectionId }),
  state: link.state,
  status: statusOf(link.state),
  steps: progressOf(link),
  ...(link.cause && { cause: explain(link.cause) }),
  attempts: link.attempts,
  ...(link.nextTryAt && { nextTryAt: link.nextTryAt.toISOString() }),
  ...(link.missingScopes.length > 0 && { missingScopes: link.missingScopes }),
  // Present when the user has to be asked once more: send the same browser there.
  ...(needsConsentAgain(link) && { continueUrl: `${publicUrl}/links/${link.id}/consent` }),
  ...(link.state === 'linked' && { connection: linkedConnection(link) }),
  createdAt: link.createdAt.toISOString(),
  updatedAt: link.updatedAt.toISOString(),
})

const linkedConnection = (link: Link) => ({
  id: link.connectionId,
  name: link.connectionName,
  workspace: link.workspace,
  functionName: link.functionName,
  functionUrl: link.functionUrl ?? '',
  ...(link.account && { upstreamAccount: link.account }),
})

export type LinkApi = {
  flows: Pick<LinkingFlows & ProvisioningFlows, 'readLink' | 'listLinks' | 'resumeLink'>
  publicUrl: string
}

/** Whoever resumes a link waits this long to see how it goes on. */
const inlineMs = 8_000

export const linkRoutes = ({ flows, publicUrl }: LinkApi) => [
  route({
    method: 'get',
    path: '/links',
    name: 'listLinks',
    summary: 'List links, newest first',
    tag: 'Links',
    query: LinkListQuery,
    answers: { 200: pageOf(LinkAnswer) },
    handle: async ({ caller, query: { tenant, state, cause, cursor, limit } }) => {
      const page = await flows.listLinks({ caller, tenant, state, cause, cursor, limit })
      return { status: 200, body: pageAnswer(page, (link) => linkAnswer(link, publicUrl)) }
    },
  }),
  route({
    method: 'get',
    path: '/links/{id}',
    name: 'readLink',
    summary: 'Read how a link is getting on',
    tag: 'Links',
    params: { id: Id },
    answers: { 200: LinkAnswer },
    handle: async ({ caller, params: { id } }) => {
      return { status: 200, body: linkAnswer(await flows.readLink({ caller, id }), publicUrl) }
    },
  }),
  route({
    method: 'post',
    path: '/links/{id}/resume',
    name: 'resumeLink',
    summary: 'Let a link go on from the step it stopped at, or try it now instead of at its next try',
    tag: 'Links',
    params: { id: Id },
    body: MaybeReasonBody,
    answers: { 200: LinkAnswer },
    failures: ['link_not_resumable', 'integration_unavailable'],
    handle: async ({ caller, actor, params: { id }, body: { reason } }) => {
      const { link, done } = await flows.resumeLink({ caller, actor, id, reason })
      return { status: 200, body: linkAnswer((await within(done, inlineMs)) ?? link, publicUrl) }
    },
  }),
]
