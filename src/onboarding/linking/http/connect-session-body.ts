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
    id: shown(200).meta({ description: 'Your ID for the user.' }),
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
      integrationId: IntegrationId.optional().meta({
        description: 'The integration to connect. Required unless `integrationIds` is set.',
      }),
      integrationIds: z
        .array(IntegrationId)
        .max(100)
        .refine((ids) => new Set(ids).size === ids.length, 'must not contain duplicates')
        .optional()
        .meta({
          description:
            'Instead of `integrationId`: the user first picks one of these on a page of the deployment. An empty list offers every integration that the tenant can use. Cannot be combined with `inputs`.',
        }),
      endUser: SessionUser,
      returnUrl: ReturnTo,
      completionChallenge,
      locale: Locale.optional(),
      ifConnected: z.enum(ifConnectedModes).optional().meta({
        description:
          'What to do if the user has already connected the same account to this integration. `add` (default) creates another connection. `relink` gives the new grant to the existing connection. `refuse` fails the link with `already_connected`. Decided after consent, when the app reports the account. If the app does not report one, a connection is always added.',
      }),
      ttlSeconds: z.int().min(60).max(1_800).optional().meta({ description: 'How long the URL can be opened.' }),
      testOutcome: chosenOutcome,
      inputs: z.record(z.string().max(40), z.string().max(253)).optional().meta({
        description:
          'Values that the integration needs before the user can sign in, such as `subdomain`, keyed by the names in the `inputs` of the integration. The connect page asks the user for missing values.',
      }),
    })
    .refine(({ integrationId, integrationIds }) => integrationId !== undefined || integrationIds !== undefined, {
      path: ['integrationId'],
      message: 'is required unless integrationIds is set',
    })
    .refine(({ integrationId, integrationIds }) => integrationId === undefined || integrationIds === undefined, {
      path: ['integrationIds'],
      message: 'must not be combined with integrationId',
    })
    .refine(({ integrationIds, inputs }) => integrationIds === undefined || inputs === undefined, {
      path: ['inputs'],
      message: 'must not be combined with integrationIds: the user is asked for them',
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
