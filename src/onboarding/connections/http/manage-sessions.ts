import { z } from 'zod'
import {
  longestManageSeconds,
  type ManageSession,
  manageStatus,
  manageStatuses,
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
import type { ConnectionFlows } from '../flows/connection-flows.ts'

const ManageUser = z
  .strictObject({
    id: shown(200).meta({ description: 'Your own id of the user, as in their connect sessions.' }),
    displayName: shown(100).optional(),
    email: UserEmail.optional(),
  })
  .meta({ id: 'ManageSessionUser', description: 'The user whose connections the page shows.' })

const ManageSessionBody = z
  .strictObject({
    tenantId: TenantId,
    endUser: ManageUser,
    returnUrl: ReturnTo.optional().meta({
      description: 'Where the page leads back to. One of the return URLs of the tenant, letter for letter.',
    }),
    locale: Locale.optional(),
    ttlSeconds: z
      .int()
      .min(60)
      .max(longestManageSeconds)
      .optional()
      .meta({ description: `How long the page can be used. ${usualManageSeconds / 60} minutes by default.` }),
  })
  .meta({
    id: 'ManageSessionRequest',
    description: 'Whose connections, and where the user goes afterwards.',
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
    returnUrl: z.string().optional().meta({ description: 'Where the page leads back to.' }),
    status: z
      .enum(manageStatuses)
      .meta({ description: '`opened`: a browser has it, and no other can open it any more.' }),
    locale: z.string().optional().meta({ description: 'The language of the page, if one was named.' }),
    expiresAt: time,
    createdAt: time,
  })
  .meta({
    id: 'ManageSession',
    description: 'A page on which one user looks after their connections, for minutes and in one browser.',
    examples: [exampleSession],
  })

const CreatedManageSessionAnswer = ManageSessionAnswer.extend({
  url: z.url().meta({
    description:
      'Redirect the browser of this user there, at once: it can be opened for five minutes and belongs to the browser that opens it first. It is a secret, shown only once: never send or store it.',
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

export type ManageSessionApi = {
  flows: Pick<ConnectionFlows, 'mintManageSession' | 'readManageSession' | 'revokeManageSession'>
}

const tag = 'Connections'
const params = { manageSessionId: Id }

export const manageSessionRoutes = ({ flows }: ManageSessionApi) => [
  route({
    method: 'post',
    path: '/manage-sessions',
    operationId: 'createManageSession',
    summary: 'Create a manage session',
    description:
      'Lets one user, whom you have authenticated, see their connections and what they were used for, reconnect and disconnect them, on a page of the deployment.',
    tag,
    body: ManageSessionBody,
    answers: { 201: CreatedManageSessionAnswer },
    failures: ['not_found', 'tenant_suspended', 'tenant_deleted'],
    handle: async ({ caller, actor, claim, body: { tenantId, endUser, locale, returnUrl, ttlSeconds } }) => {
      const { session, url } = await flows.mintManageSession({
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
    summary: 'Get a manage session',
    description: 'Whether it was opened. Its URL is not shown again. Kept for a day after it has expired.',
    tag,
    params,
    answers: { 200: ManageSessionAnswer },
    handle: async ({ caller, params: { manageSessionId: id } }) => {
      return { status: 200, body: manageSessionAnswer(await flows.readManageSession({ caller, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/manage-sessions/{manageSessionId}/revoke',
    operationId: 'revokeManageSession',
    summary: 'Revoke a manage session',
    description: 'Its page ends at once, also in the browser that has it open. For when the user signs out of yours.',
    tag,
    params,
    answers: { 200: ManageSessionAnswer },
    handle: async ({ caller, actor, params: { manageSessionId: id } }) => {
      return { status: 200, body: manageSessionAnswer(await flows.revokeManageSession({ caller, actor, id })) }
    },
  }),
]
