import { z } from 'zod'
import { ifConnectedModes } from '../../domain/end-users/if-connected.ts'
import type { Settings } from '../../domain/settings.ts'
import { Alias, LabelsBody, Scopes } from '../../http/connection-names.ts'
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
            'Instead of `integrationId`: the user first picks one of these on a page of the deployment, which lists them in this order. An empty list offers every integration that the tenant can use. Cannot be combined with `inputs`.',
        }),
      endUser: SessionUser,
      returnUrl: ReturnTo,
      completionChallenge,
      locale: Locale.optional(),
      ifConnected: z.enum(ifConnectedModes).optional().meta({
        description:
          'What to do if the user has already connected the same account to this integration. `relink` (default) gives the new grant to the existing connection. `add` creates another connection. `refuse` fails the link with `already_connected`. Decided after consent, when the app reports the account. Another account is always added, and so is one that the app does not report. Before 0.4.0 the default was `add`.',
      }),
      ttlSeconds: z.int().min(60).max(1_800).optional().meta({ description: 'How long the URL can be opened.' }),
      alias: Alias.optional(),
      labels: LabelsBody.optional(),
      scopes: Scopes.min(1).optional().meta({
        description:
          'The scopes to request, instead of those that the integration requests by default: some of them, optional ones, or both (`permissions` of the integration). Scopes that identify the account are always requested. Cannot be combined with `integrationIds`.',
      }),
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
    .refine(({ integrationIds, scopes }) => integrationIds === undefined || scopes === undefined, {
      path: ['scopes'],
      message: 'must not be combined with integrationIds: each integration has its own',
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
