import { z } from 'zod'
import { sightOf } from '../../domain/tenant.ts'
import { Alias, LabelsBody } from '../../http/connection-names.ts'
import { route } from '../../http/route.ts'
import { Id, reason } from '../../http/schemas.ts'
import { renameConnection } from '../flows/by-tenant/rename-connection.ts'
import { ConnectionAnswer, describeConnection } from './connections.ts'

const NamesBody = z
  .strictObject({
    alias: Alias.nullable().optional().meta({ description: 'The new alias. `null` removes it.' }),
    labels: LabelsBody.nullable().optional().meta({ description: 'Replaces all labels. `null` removes them.' }),
    reason: reason.optional(),
  })
  .refine(({ alias, labels }) => alias !== undefined || labels !== undefined, 'must have alias or labels')
  .meta({
    id: 'ConnectionUpdate',
    description: 'The new alias, the new labels, or both. `null` removes; an absent field stays.',
    examples: [{ alias: 'work', labels: { team: 'sales' } }],
  })

export const connectionNameRoutes = [
  route({
    method: 'patch',
    path: '/connections/{connectionId}',
    operationId: 'updateConnection',
    client: 'connections.update',
    clientNote: 'Changes the alias and the labels.',
    summary: 'Update the names of a connection',
    description:
      'An alias is unique among the connections of the user to the integration. It is the prefix of the tools where an agent sees several functions of the user, so agents have to list tools again. A disconnected connection keeps its names, and its alias is free.',
    tag: 'Connections',
    params: { connectionId: Id },
    body: NamesBody,
    answers: { 200: ConnectionAnswer },
    failures: ['alias_taken', 'connection_disconnected', 'platform_unavailable'],
    handle: async ({ caller, actor, params: { connectionId }, body, ...answering }) => {
      const asked = { ...sightOf(caller), connectionId, actor, ...body }
      const connection = await renameConnection(answering.ports, asked)
      return { status: 200, body: await describeConnection(answering, connection, undefined) }
    },
  }),
]
