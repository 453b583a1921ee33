import { z } from 'zod'
import { ifConnectedModes } from '../../domain/end-users/if-connected.ts'
import type { Settings } from '../../domain/settings.ts'
import {
  CompletionChallenge,
  chosenOutcome,
  IntegrationId,
  Locale,
  ReturnTo,
  shown,
  TenantId,
  UserEmail,
} from '../../http/schemas.ts'

const SessionUser = z
  .strictObject({
    id: shown(200).meta({ description: 'Your own id of the user.' }),
    displayName: shown(100).optional(),
    email: UserEmail.optional(),
  })
  .meta({
    id: 'ConnectSessionUser',
    description: 'The user who links the account, as the connect page addresses them.',
  })

export const connectSessionBody = (completion: Settings['completion']) => {
  const completionChallenge: z.ZodType<string | undefined> =
    completion === 'required' ? CompletionChallenge : CompletionChallenge.optional()
  return z
    .strictObject({
      tenantId: TenantId,
      integrationId: IntegrationId.optional().meta({ description: 'What the user connects. Or `integrationIds`.' }),
      integrationIds: z
        .array(IntegrationId)
        .max(100)
        .refine((ids) => new Set(ids).size === ids.length, 'must not name one twice')
        .optional()
        .meta({
          description:
            'Instead of `integrationId`: the user picks one of these on a page of the deployment first. An empty list: any that the tenant may use. Without `inputs`.',
        }),
      endUser: SessionUser,
      returnUrl: ReturnTo,
      completionChallenge,
      locale: Locale.optional(),
      ifConnected: z.enum(ifConnectedModes).optional().meta({
        description:
          'What happens when the user turns out to have connected the same account to this integration before: `add`, the default, makes another connection, `relink` gives the new grant to the connection that is there, `refuse` fails the link with `already_connected`. Decided after consent, when the app has said which account it is; an app that does not say it always adds.',
      }),
      ttlSeconds: z.int().min(60).max(1_800).optional().meta({ description: 'How long the URL can be opened.' }),
      testOutcome: chosenOutcome,
      inputs: z.record(z.string().max(40), z.string().max(253)).optional().meta({
        description:
          'Values that the integration needs before the user can sign in, such as `subdomain`, by the names in `inputs` of the integration. The connect page asks the user for those that are missing.',
      }),
    })
    .refine(({ integrationId, integrationIds }) => integrationId !== undefined || integrationIds !== undefined, {
      path: ['integrationId'],
      message: 'is required, unless there is integrationIds',
    })
    .refine(({ integrationId, integrationIds }) => integrationId === undefined || integrationIds === undefined, {
      path: ['integrationIds'],
      message: 'must not be there together with integrationId',
    })
    .refine(({ integrationIds, inputs }) => integrationIds === undefined || inputs === undefined, {
      path: ['inputs'],
      message: 'belong to one integration: the user is asked for them',
    })
    .meta({
      id: 'ConnectSessionRequest',
      description: 'Who links which integration to which tenant, and where the browser goes afterwards.',
      examples: [
        {
          tenantId: 'acme',
          integrationId: 'gmail',
          endUser: { id: 'user-42', email: 'user@acme.example' },
          returnUrl: 'https://app.acme.example/integrations/return',
          completionChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        },
      ],
    })
}
