import { z } from 'zod'
import { givenLabels } from '../../domain/linking/connection-names.ts'
import { Alias, LabelsBody, Scopes } from '../../http/connection-names.ts'
import { route } from '../../http/route.ts'
import { IntegrationId, shown, TenantId } from '../../http/schemas.ts'
import { createConnection } from '../flows/by-tenant/create-connection.ts'
import { ConnectionAnswer, describeConnection } from './connections.ts'

const NewConnectionBody = z
  .strictObject({
    tenantId: TenantId,
    integrationId: IntegrationId,
    endUser: z.strictObject({ id: shown(200).meta({ description: 'Your ID for the user.' }) }).meta({
      id: 'ConnectionUser',
      description: 'The user whose account will be linked.',
    }),
    alias: Alias.optional(),
    labels: LabelsBody.optional(),
    scopes: Scopes.min(1).optional().meta({
      description:
        'The scopes to request when the user links an account, as `scopes` of a connect session. Re-links request them again.',
    }),
    inputs: z.record(z.string().max(40), z.string().max(253)).optional().meta({
      description: 'Values that the integration needs before the user can sign in, such as `subdomain`.',
    }),
  })
  .meta({
    id: 'ConnectionRequest',
    description: 'Whose account of which integration a function will act for.',
    examples: [{ tenantId: 'acme', integrationId: 'gmail', endUser: { id: 'user-42' } }],
  })

export const newConnectionRoutes = [
  route({
    method: 'post',
    path: '/connections',
    operationId: 'createConnection',
    client: 'connections.create',
    clientNote: 'The user links an account when an MCP client first calls the function.',
    summary: 'Create a connection without an account',
    description:
      'Creates the function at once, with status `not_linked`. The first call of one of its tools leads the person who made it to a page where they link an account; the call then works. Before that, `POST /connections/{connectionId}/relink-sessions` creates a link as well.',
    tag: 'Connections',
    body: NewConnectionBody,
    answers: { 201: ConnectionAnswer },
    failures: [
      'not_found',
      'tenant_suspended',
      'tenant_deleted',
      'integration_unavailable',
      'connection_limit',
      'alias_taken',
      'platform_unavailable',
    ],
    handle: async ({ caller, actor, claim, body, ...answering }) => {
      const { ports, settings } = answering
      const { tenantId, integrationId, endUser, inputs, alias, labels, scopes } = body
      const asked = {
        caller,
        actor,
        claim,
        tenant: tenantId,
        integration: integrationId,
        endUserId: endUser.id,
        inputs,
        alias,
        labels: givenLabels(labels) ?? undefined,
        scopes,
      }
      const connection = await createConnection(ports, settings, asked)
      return { status: 201, body: await describeConnection(answering, connection, undefined) }
    },
  }),
]
