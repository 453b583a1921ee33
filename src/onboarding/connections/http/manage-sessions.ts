import { z } from 'zod'
import {
  type ManageSession,
  manageStatus,
  manageStatuses,
  maxManageSeconds,
  usualManageSeconds,
} from '../../domain/end-users/manage-session.ts'
import { route } from '../../http/route.ts'
import {
  EndUser,
  endUserAnswer,
  Id,
  Locale,
  ReturnTo,
  shown,
  TenantId,
  testMode,
  testModeOf,
  time,
  UserEmail,
} from '../../http/schemas.ts'
import { mintManageSession, readManageSession, revokeManageSession } from '../flows/mint-manage-session.ts'

const ManageUser = z
  .strictObject({
    id: shown(200).meta({ description: 'Your ID for the user, as in their connect sessions.' }),
    displayName: shown(100).optional(),
    email: UserEmail.optional(),
  })
  .meta({ id: 'ManageSessionUser', description: 'The user whose connections the page shows.' })

const ManageSessionBody = z
  .strictObject({
    tenantId: TenantId,
    endUser: ManageUser,
    returnUrl: ReturnTo.optional().meta({
      description: 'Where the page links back to. Must exactly match a return URL of the tenant.',
    }),
    locale: Locale.optional(),
    ttlSeconds: z
      .int()
      .min(60)
      .max(maxManageSeconds)
      .optional()
      .meta({ description: `How long the page can be used. Defaults to ${usualManageSeconds / 60} minutes.` }),
  })
  .meta({
    id: 'ManageSessionRequest',
    description: 'The user, and where they return to.',
    examples: [{ tenantId: 'acme', endUser: { id: 'user-42', email: 'user@acme.example' } }],
  })

const exampleSession = {
  id: 'mng_06gxytkrc2v8t1n5m0q7d9hj4w',
  tenantId: 'acme',
  endUser: { id: 'user-42', email: 'user@acme.example' },
  status: 'created',
  expiresAt: '2026-11-15T03:55:00.000Z',
  createdAt: '2026-11-15T03:25:00.000Z',
}

const ManageSessionAnswer = z
  .strictObject({
    id: z.string(),
    tenantId: z.string(),
    testMode,
    endUser: EndUser,
    returnUrl: z.string().optional().meta({ description: 'Where the page links back to.' }),
    status: z
      .enum(manageStatuses)
      .meta({ description: '`opened`: a browser has opened it, and no other browser can.' }),
    locale: z.string().optional().meta({ description: 'The language of the page, if set.' }),
    expiresAt: time,
    createdAt: time,
  })
  .meta({
    id: 'ManageSession',
    description: 'A page on which a user manages their connections, for a few minutes in one browser.',
    examples: [exampleSession],
  })

const CreatedManageSessionAnswer = ManageSessionAnswer.extend({
  url: z.url().meta({
    description:
      'Redirect the user’s browser to this URL immediately. It can be opened for five minutes and belongs to the first browser that opens it. It is a secret and returned only once: never send or store it.',
  }),
}).meta({
  id: 'CreatedManageSession',
  description: 'The new manage session, with the URL for its user.',
  examples: [
    { ...exampleSession, url: 'https://connect.example.com/manage/kT3vN8x2Qm5Wc0Rj7Yb4Hd1Fs6Lg9Pa3Zu8Ei5Ot2Xk' },
  ],
})

const manageSessionAnswer = (session: ManageSession): z.input<typeof ManageSessionAnswer> => ({
  id: session.id,
  tenantId: session.tenant,
  ...testModeOf(session.tenant),
  endUser: endUserAnswer(session.endUser),
  ...(session.returnUrl !== undefined && { returnUrl: session.returnUrl }),
  status: manageStatus(session),
  ...(session.endUser.locale !== undefined && { locale: session.endUser.locale }),
  expiresAt: session.expiresAt.toISOString(),
  createdAt: session.createdAt.toISOString(),
})

const tag = 'Connections'
const params = { manageSessionId: Id }

export const manageSessionRoutes = [
  route({
    method: 'post',
    path: '/manage-sessions',
    operationId: 'createManageSession',
    client: 'manageSessions.create',
    clientNote: "Redirect the user's browser to `url` immediately. Don't send or store the URL.",
    summary: 'Create a manage session',
    description:
      'Lets a user whom you have authenticated see, reconnect and disconnect their connections, and see their recent use, on a page of the deployment.',
    tag,
    body: ManageSessionBody,
    answers: { 201: CreatedManageSessionAnswer },
    failures: ['not_found', 'tenant_suspended', 'tenant_deleted'],
    handle: async ({
      ports,
      settings,
      caller,
      actor,
      claim,
      body: { tenantId, endUser, locale, returnUrl, ttlSeconds },
    }) => {
      const { session, url } = await mintManageSession(ports, settings, {
        tenant: tenantId,
        endUser: { ...endUser, locale },
        returnUrl,
        ttlSeconds,
        caller,
        actor,
        claim,
      })
      return { status: 201, body: { ...manageSessionAnswer(session), url } }
    },
  }),
  route({
    method: 'get',
    path: '/manage-sessions/{manageSessionId}',
    operationId: 'getManageSession',
    client: 'manageSessions.get',
    summary: 'Get a manage session',
    description:
      'Returns the status of the session. The URL is not returned again. Sessions are kept for a day after they expire.',
    tag,
    params,
    answers: { 200: ManageSessionAnswer },
    handle: async ({ ports, caller, params: { manageSessionId: id } }) => {
      return { status: 200, body: manageSessionAnswer(await readManageSession(ports, { caller, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/manage-sessions/{manageSessionId}/revoke',
    operationId: 'revokeManageSession',
    client: 'manageSessions.revoke',
    clientNote: 'Ends the session immediately.',
    summary: 'Revoke a manage session',
    description:
      'Ends the page immediately, even in the browser that has it open. Use it when the user signs out of your app.',
    tag,
    params,
    answers: { 200: ManageSessionAnswer },
    handle: async ({ ports, caller, actor, params: { manageSessionId: id } }) => {
      return { status: 200, body: manageSessionAnswer(await revokeManageSession(ports, { caller, actor, id })) }
    },
  }),
]
