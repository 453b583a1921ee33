import type { Flows } from '../../flows/flows.ts'
import { MintedSessionAnswer } from './answer-schemas.ts'
import { sessionAnswer } from './answers.ts'
import { type Asked, route } from './route.ts'
import { Id, RelinkBody } from './schemas.ts'

export type UpkeepApi = { flows: Pick<Flows, 'relinkConnection'> }

const tag = 'Connections'

export const upkeepRoutes = ({ flows }: UpkeepApi) => [
  route({
    method: 'post',
    path: '/connections/{id}/relink-sessions',
    name: 'relinkConnection',
    summary: 'Mint an address at which the user links the same account again',
    tag,
    params: { id: Id },
    body: RelinkBody,
    answers: { 201: MintedSessionAnswer },
    handle: async (asked) => {
      const { session, url } = await flows.relinkConnection({ ...onConnection(asked), ...asked.body })
      return { status: 201, body: { ...sessionAnswer(session), url } }
    },
  }),
]

/** Whose connection it must be, who asks, and why. */
const onConnection = ({
  params,
  caller,
  actor,
  body,
}: Pick<Asked<{ id: string }, unknown, { reason: string }>, 'params' | 'caller' | 'actor' | 'body'>) => ({
  connectionId: params.id,
  tenant: caller.tenant,
  actor,
  reason: body.reason,
})
