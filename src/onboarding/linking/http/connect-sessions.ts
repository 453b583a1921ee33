import { z } from 'zod'
import { explain } from '../../domain/cause.ts'
import { type ConnectSession, purposeOf, purposes, sessionStatus } from '../../domain/connect-session.ts'
import { ifConnectedModes } from '../../domain/end-users/if-connected.ts'
import { givenLabels } from '../../domain/linking/connection-names.ts'
import type { Settings } from '../../domain/settings.ts'
import { namesAnswer, namesOf } from '../../http/connection-names.ts'
import { route } from '../../http/route.ts'
import {
  CauseAnswer,
  EndUser,
  endUserAnswer,
  Id,
  MaybeReasonBody,
  TestOutcome,
  testMode,
  testModeOf,
  time,
} from '../../http/schemas.ts'
import { completeLink } from '../flows/complete-link.ts'
import { mintConnectSession } from '../flows/mint-connect-session.ts'
import { cancelSession, readSession } from '../flows/read-links.ts'
import { connectSessionBody } from './connect-session-body.ts'
import { describeLink, LinkAnswer, outcomeOf } from './links.ts'

const CompletionBody = z
  .strictObject({
    completionCode: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'The `completion_code` parameter of the return URL.' }),
    completionVerifier: z
      .string()
      .min(43)
      .max(128)
      .meta({ description: 'The verifier that your server stored in the session of the returning user.' }),
  })
  .meta({
    id: 'CompletionRequest',
    description: 'The code from the return URL and the stored verifier.',
    examples: [
      {
        completionCode: 'Zx81wJm0v5Qe2d7Rk9',
        completionVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    ],
  })

const exampleSession = {
  id: 'ses_06gxytkrc2v8t1n5m0q7d9hj4w',
  purpose: 'link',
  tenantId: 'acme',
  integrationId: 'gmail',
  endUser: { id: 'user-42', email: 'user@acme.example' },
  returnUrl: 'https://app.acme.example/integrations/return',
  ifConnected: 'relink',
  status: 'open',
  expiresAt: '2026-11-15T03:40:00.000Z',
  createdAt: '2026-11-15T03:25:00.000Z',
}

const ConnectSessionAnswer = z
  .strictObject({
    id: z.string(),
    purpose: z.enum(purposes).meta({ description: '`relink`: a new grant for `connectionId`.' }),
    tenantId: z.string(),
    testMode,
    integrationId: z.string().optional().meta({
      description: 'With `integrationIds`: the one that the user started. Absent until then.',
    }),
    integrationIds: z.array(z.string()).optional().meta({
      description: 'The choices of the user. An empty list offers every integration that the tenant can use.',
    }),
    endUser: EndUser,
    returnUrl: z.string().optional().meta({ description: 'If absent, the browser stays on a page of the deployment.' }),
    connectionId: z.string().optional().meta({ description: 'The connection that a `relink` session re-links.' }),
    ifConnected: z
      .enum(ifConnectedModes)
      .optional()
      .meta({ description: 'For `link` sessions: what to do if the account is already connected.' }),
    ...namesAnswer,
    scopes: z.array(z.string()).optional().meta({
      description: 'The scopes that the session names. In a `relink` session, in addition to the usual ones.',
    }),
    status: z.enum(['open', 'started', 'expired', 'cancelled']),
    linkId: z.string().optional().meta({ description: 'Present once the user has started.' }),
    cause: CauseAnswer.optional().meta({
      description:
        'Why the user was not redirected to the app at the latest attempt, and whose move it is. Absent once there is a link, which has its own cause.',
    }),
    locale: z.string().optional().meta({ description: 'The language of the pages, if set.' }),
    testOutcome: TestOutcome.optional().meta({ description: 'The chosen outcome in test mode.' }),
    expiresAt: time,
    createdAt: time,
  })
  .meta({
    id: 'ConnectSession',
    description: 'A short-lived permission for one browser to link an integration to one tenant.',
    examples: [exampleSession],
  })

export const CreatedSessionAnswer = ConnectSessionAnswer.extend({
  url: z
    .url()
    .meta({ description: "Redirect the end user's browser to this URL. It is a secret and returned only once." }),
  grantLimit: z
    .strictObject({
      live: z.int().min(0).meta({ description: 'How many live grants of this client the account may have now.' }),
      limit: z.int().min(1).meta({ description: 'The maximum that the app allows.' }),
      beyond: z
        .enum(['oldest_ends', 'refused'])
        .meta({ description: 'What the app does beyond the limit: end the oldest grant or refuse the new one.' }),
    })
    .optional()
    .meta({
      description:
        'For re-links: present if the account may have reached the app’s limit of grants per client. The new grant then ends the oldest one, which another connection may use, or is refused.',
    }),
}).meta({
  id: 'CreatedConnectSession',
  description: 'The new connect session, with the URL for its user.',
  examples: [
    { ...exampleSession, url: 'https://connect.example.com/connect/kT3vN8x2Qm5Wc0Rj7Yb4Hd1Fs6Lg9Pa3Zu8Ei5Ot2Xk' },
  ],
})

export const sessionAnswer = (session: ConnectSession): z.input<typeof ConnectSessionAnswer> => ({
  id: session.id,
  purpose: purposeOf(session.connectionId !== undefined),
  tenantId: session.tenant,
  ...testModeOf(session.tenant),
  ...(session.integration !== undefined && { integrationId: session.integration }),
  ...(session.choices && { integrationIds: session.choices }),
  endUser: endUserAnswer(session.endUser),
  ...(session.returnUrl !== undefined && { returnUrl: session.returnUrl }),
  ...(session.connectionId && { connectionId: session.connectionId }),
  ...(!session.connectionId && { ifConnected: session.ifConnected }),
  ...namesOf(session),
  ...(session.scopes && { scopes: session.scopes }),
  status: sessionStatus(session),
  ...(session.linkId && { linkId: session.linkId }),
  ...(session.cause && !session.linkId && { cause: explain(session.cause) }),
  ...(session.endUser.locale !== undefined && { locale: session.endUser.locale }),
  ...(session.testOutcome && { testOutcome: session.testOutcome }),
  expiresAt: session.expiresAt.toISOString(),
  createdAt: session.createdAt.toISOString(),
})

const tag = 'Connect sessions'
const params = { connectSessionId: Id }

export const connectSessionRoutes = (completion: Settings['completion']) => [
  route({
    method: 'post',
    path: '/connect-sessions',
    operationId: 'createConnectSession',
    client: 'connectSessions.create',
    summary: 'Create a connect session',
    description:
      'Allows one browser to link one integration, or one of several choices, to a tenant for a few minutes. Redirect the browser of the signed-in user to `url`, and share it with no one else.',
    tag,
    body: connectSessionBody(completion),
    answers: { 201: CreatedSessionAnswer },
    failures: [
      'not_found',
      'tenant_suspended',
      'tenant_deleted',
      'integration_unavailable',
      'backlog_full',
      'connection_limit',
      'alias_taken',
    ],
    handle: async ({
      ports,
      settings,
      caller,
      actor,
      claim,
      body: { tenantId, integrationId, integrationIds, ...body },
    }) => {
      const {
        endUser,
        locale,
        returnUrl,
        completionChallenge,
        ifConnected,
        ttlSeconds,
        inputs,
        testOutcome,
        alias,
        scopes,
      } = body
      const { session, url } = await mintConnectSession(ports, settings, {
        tenant: tenantId,
        integration: integrationId,
        choices: integrationIds,
        endUser: { ...endUser, locale },
        returnUrl,
        completionChallenge,
        ifConnected,
        ttlSeconds,
        inputs,
        alias,
        labels: givenLabels(body.labels) ?? undefined,
        scopes,
        testOutcome,
        caller,
        actor,
        claim,
      })
      return { status: 201, body: { ...sessionAnswer(session), url } }
    },
  }),
  route({
    method: 'get',
    path: '/connect-sessions/{connectSessionId}',
    operationId: 'getConnectSession',
    client: 'connectSessions.get',
    summary: 'Get a connect session',
    description: 'Returns the status of the session and its link. The URL is not returned again.',
    tag,
    params,
    answers: { 200: ConnectSessionAnswer },
    handle: async ({ ports, caller, params: { connectSessionId: id } }) => {
      return { status: 200, body: sessionAnswer(await readSession(ports, { caller, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/connect-sessions/{connectSessionId}/cancel',
    operationId: 'cancelConnectSession',
    client: 'connectSessions.cancel',
    clientNote: 'Invalidates the URL.',
    summary: 'Cancel a connect session',
    description: 'Cancels a session that was not started or may be started again. Its URL stops working.',
    tag,
    params,
    body: MaybeReasonBody,
    answers: { 200: ConnectSessionAnswer },
    failures: ['session_started'],
    handle: async ({ ports, caller, actor, params: { connectSessionId: id }, body: { reason } }) => {
      return { status: 200, body: sessionAnswer(await cancelSession(ports, { caller, actor, id, reason })) }
    },
  }),
  route({
    method: 'post',
    path: '/connect-sessions/{connectSessionId}/complete',
    operationId: 'completeConnectSession',
    client: 'connectSessions.complete',
    summary: 'Complete a connect session',
    description:
      'Proves that the returning browser belongs to the user who started. The authorization code is not used before that. Treat the redirect as a hint: this response is authoritative. Complete within about two minutes of the redirect.',
    tag,
    params,
    body: CompletionBody,
    answers: { 200: LinkAnswer },
    failures: [
      'completion_early',
      'completion_refused',
      'completion_used',
      'completion_late',
      'integration_unavailable',
    ],
    handle: async ({ caller, actor, params: { connectSessionId }, body, ...answering }) => {
      const { ports, settings } = answering
      const completing = await completeLink(ports, settings, {
        ...body,
        sessionId: connectSessionId,
        caller,
        actor,
      })
      return { status: 200, body: await describeLink(answering, await outcomeOf(ports, completing)) }
    },
  }),
]
